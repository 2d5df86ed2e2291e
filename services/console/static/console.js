// Ages and timers that run on between two messages of the server. Pages are complete without it.
"use strict";
(() => {
  const second = 1000;
  const since = (ms) => {
    const s = Math.max(0, Math.round(ms / second));
    if (s < 60) return `${s} s ago`;
    if (s < 3600) return `${Math.floor(s / 60)} min ago`;
    return `${Math.floor(s / 3600)} h ago`;
  };
  const show = () => {
    const now = Date.now();
    for (const each of document.querySelectorAll("[data-since-us]")) {
      each.textContent = since(now - Number(each.dataset.sinceUs) / second);
    }
    for (const each of document.querySelectorAll("[data-until-us]")) {
      const left = Math.ceil((Number(each.dataset.untilUs) / second - now) / second);
      each.textContent = left > 0 ? `${left} s` : "now";
    }
  };
  setInterval(show, second);
  document.addEventListener("DOMContentLoaded", show);
  document.addEventListener("htmx:after:swap", show);
})();
