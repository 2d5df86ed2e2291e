"""Every report there is, by name."""

from __future__ import annotations

from typing import Final

from services.settlement.reports import listing, results, summing
from services.settlement.reports.report import Report

REPORTS: Final[dict[str, Report]] = {
    report.name: report for report in (*listing.REPORTS, *summing.REPORTS, *results.REPORTS)
}
