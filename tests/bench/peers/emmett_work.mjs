// The work of `tests.bench.peers`, done by emmett: node emmett_work.mjs STREAMS LOADS WRITERS COMMITS ADDRESS.
//
// It runs beside the packages that peers.toml names, on a database of its own; what is measured is told as one
// line of JSON. Rates are of events or streams a second; `missed` counts events.

import { getPostgreSQLEventStore, postgreSQLRawBatchSQLProjection, readMessagesBatch } from '@event-driven-io/emmett-postgresql';
import { dumbo, rawSql, sql } from '@event-driven-io/dumbo';
import pg from 'pg';

const STREAM_EVENTS = 5;
const PAGE = 2000;
const [streams, loads, writers, commits] = process.argv.slice(2, 6).map(Number);
const address = process.argv[6];

const pool = new pg.Pool({ connectionString: address, max: writers });
const store = getPostgreSQLEventStore(address, { connectionOptions: { pool } });

const cancelled = (stream, number) => ({
  type: 'WagerCancelled',
  data: {
    coup_id: `${stream}:1:1`,
    wager_id: `w${number}`,
    player: 'p1',
    area: 'BANKER',
    currency: 'EUR',
    refund_minor: 100,
    movement_id: 'm',
  },
});

const book = {
  initialState: () => ({ cancelled: 0, refundedMinor: 0 }),
  evolve: (state, { data }) => ({
    cancelled: state.cancelled + 1,
    refundedMinor: state.refundedMinor + data.refund_minor,
  }),
};

const perSecond = async (count, work) => {
  const began = performance.now();
  await work();
  return count / ((performance.now() - began) / 1000);
};

const name = (number) => `peer-${number}`;

const appendOne = (stream) =>
  store.appendToStream(
    stream,
    Array.from({ length: STREAM_EVENTS }, (_, number) => cancelled(stream, number)),
  );

async function append() {
  for (let stream = 0; stream < streams; stream++) await appendOne(name(stream));
}

// A commit has one stream; callers have a connection each.
async function together() {
  let next = 0;
  const caller = async () => {
    while (next < streams) await appendOne(`group-${next++}`);
  };
  await Promise.all(Array.from({ length: writers }, caller));
}

async function load() {
  for (let number = 0; number < loads; number++) {
    const { state } = await store.aggregateStream(name(number % streams), book);
    if (state.cancelled !== STREAM_EVENTS) throw new Error(`${state.cancelled} events`);
  }
}

// Every event of the log, in order, as an object.
async function replay() {
  const { execute } = dumbo({ connectionString: address, pool });
  let after = 0n;
  let count = 0;
  for (;;) {
    const page = await readMessagesBatch(execute, { after, batchSize: PAGE });
    count += page.messages.length;
    after = page.currentGlobalPosition;
    if (!page.areMessagesLeft) return count;
  }
}

// Refunds by stream in a table, one statement a batch: the fewest that it allows.
const refunds = postgreSQLRawBatchSQLProjection({
  name: 'refunds',
  canHandle: ['WagerCancelled'],
  init: () =>
    rawSql('create table refunds (stream text primary key, cancelled int not null, minor bigint not null)'),
  evolve: (events) => {
    const sums = new Map();
    for (const { data, metadata } of events) {
      const sum = sums.get(metadata.streamName) ?? { cancelled: 0, minor: 0 };
      sum.cancelled += 1;
      sum.minor += data.refund_minor;
      sums.set(metadata.streamName, sum);
    }
    const rows = [...sums].map(([stream, { cancelled, minor }]) => sql('(%L, %s, %s)', stream, cancelled, minor));
    return [
      rawSql(
        `insert into refunds values ${rows.join(', ')} on conflict (stream) do update ` +
          'set cancelled = refunds.cancelled + excluded.cancelled, minor = refunds.minor + excluded.minor',
      ),
    ];
  },
});

async function project(total) {
  const consumer = store.consumer({
    stopWhen: { noMessagesLeft: true },
    // By default it takes 100 and then rests for 50 ms.
    pulling: { batchSize: 1000, pullingFrequencyInMs: 1 },
  });
  consumer.projector({ projection: refunds });
  await consumer.start();
  await consumer.close();
  const { rows } = await pool.query('select sum(cancelled)::int as events from refunds');
  if (rows[0].events !== total) throw new Error(`${rows[0].events} of ${total} events are in the table`);
}

// What its consumer misses or delivers twice of what many have written at once, when they are done.
async function missed() {
  const key = (stream, wager) => `${stream} ${wager}`;
  const seen = new Map();
  const write = async (writer) => {
    const stream = `writer-${writer}`;
    for (let number = 0; number < commits; number++) {
      const event = cancelled(stream, number);
      await store.appendToStream(stream, [event]);
      seen.set(key(stream, event.data.wager_id), 0);
    }
  };
  await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)));
  const consumer = store.consumer({ stopWhen: { noMessagesLeft: true } });
  consumer.reactor({
    processorId: 'counting',
    eachMessage: ({ data, metadata }) => {
      const each = key(metadata.streamName, data.wager_id);
      // Others were there before.
      if (seen.has(each)) seen.set(each, seen.get(each) + 1);
    },
  });
  await consumer.start();
  await consumer.close();
  return [...seen.values()].reduce((wrong, times) => wrong + Math.abs(times - 1), 0);
}

await store.schema.migrate();
const total = streams * STREAM_EVENTS;
const told = {};
told.append = await perSecond(total, append);
told.load = await perSecond(loads, load);
const began = performance.now();
const count = await replay();
told.replay = count / ((performance.now() - began) / 1000);
told.project = await perSecond(count, () => project(count));
told.together = await perSecond(total, together);
told.missed = await missed();
await store.close();
await pool.end();
console.log(JSON.stringify(told));
