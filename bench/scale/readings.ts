import { insightKeys } from '#domain/insight-key.ts'
import { exportAudit } from '#services/audit/export-audit.ts'
import { readAudit } from '#services/audit/read-audit.ts'
import type { Caller, ServiceContext } from '#services/core/context.ts'
import { readAskingRules } from '#services/insights/asking-rules.ts'
import { readAttention, readInsights } from '#services/insights/read-insights.ts'
import { readUsage } from '#services/insights/read-usage.ts'
import { listQueues } from '#services/requests/lists/list-queues.ts'
import { listRequests, type ListRequestsInput } from '#services/requests/lists/list-requests.ts'
import { viewerOf } from '#services/requests/people/viewer.ts'
import { listRuns } from '#services/runs/reading/list-runs.ts'
import { searchService } from '#services/search/search-service.ts'
import type { FilledDatabase } from './fill-database.ts'
import { personAt } from './request-case.ts'

/** Reads a page as one person; resolves to the number of rows that they see. */
export type Reading = (ctx: ServiceContext) => Promise<number>

const hourMs = 3_600_000

/**
 * Every page of a growing list in the dashboard and the command line. The names say whose page it
 * is and what it lists.
 */
export function readings(filled: FilledDatabase): Readonly<Record<string, Reading>> {
  return {
    ...queueReadings(filled),
    ...requestReadings(filled),
    ...searchReadings(filled),
    ...runReadings(filled),
    ...trailReadings(filled),
    ...insights(filled),
    'export: an hour': exportReading(filled),
  }
}

type Readings = Readonly<Record<string, Reading>>

/** The request in the middle of those that were decided. */
function middleOf({ year }: FilledDatabase): number {
  return Math.floor((year.requests - year.pending) / 2)
}

/** When the request at a place was opened. */
function timeAt({ year }: FilledDatabase, place: number): string {
  return new Date(year.beganMs + place * 300_000).toISOString()
}

function queueReadings({ member, manager }: FilledDatabase): Readings {
  return {
    'queues: member': async (ctx) => (await listQueues(ctx, member.caller, {})).items.length,
    'queues: manager': async (ctx) => (await listQueues(ctx, manager.caller, {})).items.length,
  }
}

function requestReadings(filled: FilledDatabase): Readings {
  const { member, manager, auditor, starter, stranger } = filled
  const requests =
    ({ caller }: { caller: Caller }, input: ListRequestsInput): Reading =>
    async (ctx) =>
      (await listRequests(ctx, caller, input)).items.length
  return {
    'queue: newest': requests(member, { state: 'pending', queue: 'platform' }),
    'queue: age': requests(member, { state: 'pending', queue: 'platform', sort: 'age' }),
    'queue: expiry': requests(member, { state: 'pending', queue: 'platform', sort: 'expiresAt' }),
    'queue: risk': requests(member, { state: 'pending', queue: 'platform', sort: 'risk' }),
    'inbox: newest': requests(member, { state: 'pending' }),
    'inbox: expiry': requests(member, { state: 'pending', sort: 'expiresAt' }),
    'inbox: risk': requests(member, { state: 'pending', sort: 'risk' }),
    'inbox: mine': requests(member, { mine: true, sort: 'expiresAt' }),
    'inbox: mine, of few': requests(auditor, { mine: true }),
    'inbox: of a starter': requests(starter, { state: 'pending' }),
    'inbox: tool': requests(member, { state: 'pending', tool: 'delete_file' }),
    'inbox: search': requests(member, { state: 'pending', q: 'invoices' }),
    'inbox: search without hit': requests(member, { state: 'pending', q: 'nowhere' }),
    'requests: all': requests(member, {}),
    'requests: all, manager': requests(manager, {}),
    'requests: approved': requests(member, { state: 'approved' }),
    'requests: denied, of which there are none': requests(member, { state: 'denied' }),
    'requests: expired by expiry, none': requests(member, { state: 'expired', sort: 'expiresAt' }),
    'requests: oldest': requests(member, { sort: 'age' }),
    'requests: by risk': requests(manager, { sort: 'risk' }),
    'requests: by risk, approved': requests(manager, { state: 'approved', sort: 'risk' }),
    'requests: by risk, member': requests(member, { sort: 'risk' }),
    'requests: by expiry': requests(manager, { sort: 'expiresAt' }),
    'requests: by expiry, member': requests(member, { sort: 'expiresAt' }),
    'requests: of a starter': requests(starter, {}),
    'requests: of few': requests(auditor, {}),
    'requests: of a stranger': requests(stranger, {}),
    'requests: search': requests(member, { q: 'invoices' }),
    'requests: search rare': requests(manager, { q: `/${middleOf(filled)}.md` }),
    'requests: search without hit': requests(manager, { q: 'nowhere' }),
    'requests: a rare tool': requests(manager, { tool: 'call_worker' }),
  }
}

function searchReadings(filled: FilledDatabase): Readings {
  const { member, manager, starter, stranger } = filled
  const readSearch =
    ({ caller }: { caller: Caller }, q: string): Reading =>
    async (ctx) =>
      (await searchService(ctx, caller, { q })).length
  return {
    'search: common word': readSearch(member, 'write'),
    'search: subject': readSearch(member, 'invoices md'),
    'search: rare': readSearch(manager, `${middleOf(filled)}.md`),
    'search: two characters': readSearch(member, 'in'),
    'search: without hit': readSearch(manager, 'nowhere'),
    'search: of a stranger': readSearch(stranger, 'write'),
    'search: of a starter': readSearch(starter, 'write'),
  }
}

function runReadings({ member, manager, starter, stranger }: FilledDatabase): Readings {
  const runs =
    ({ caller }: { caller: Caller }, input: Parameters<typeof listRuns>[2] = {}): Reading =>
    async (ctx) =>
      (await listRuns(ctx, caller, input)).items.length
  return {
    'runs: all': runs(manager),
    'runs: member': runs(member),
    'runs: of a starter': runs(starter),
    'runs: of a stranger': runs(stranger),
    'runs: failed, none': runs(manager, { state: 'failed' }),
    'runs: waiting for input, none': runs(manager, { state: 'waiting_for_input' }),
    'runs: waiting': runs(manager, { state: 'waiting_for_approval' }),
  }
}

function trailReadings(filled: FilledDatabase): Readings {
  const { member, auditor, starter, stranger, year } = filled
  const someone = personAt(year, 3).id
  const middle = middleOf(filled)
  const day = { from: timeAt(filled, middle), to: timeAt(filled, middle + 288) }
  const trail =
    (
      { caller }: { caller: Caller },
      input: Omit<Parameters<typeof readAudit>[2], 'keyReadsAudit'>,
    ): Reading =>
    async (ctx) =>
      (await readAudit(ctx, caller, { ...input, keyReadsAudit: false })).documents.length
  return {
    'trail: newest': trail(auditor, {}),
    'trail: type': trail(auditor, { type: 'decision.recorded' }),
    'trail: rare type': trail(auditor, { type: 'grant.revoked' }),
    'trail: person': trail(auditor, { actor: someone }),
    'trail: kind of actor': trail(auditor, { actor: 'person' }),
    'trail: rare kind of actor': trail(auditor, { actor: 'timer' }),
    'trail: person and type': trail(auditor, { actor: someone, type: 'permit.issued' }),
    'trail: person and rare type': trail(auditor, { actor: someone, type: 'grant.given' }),
    'trail: a day': trail(auditor, day),
    'trail: a day, rare type': trail(auditor, { ...day, type: 'grant.revoked' }),
    'trail: member': trail(member, {}),
    'trail: of a starter': trail(starter, {}),
    'trail: of a stranger': trail(stranger, {}),
  }
}

function exportReading(filled: FilledDatabase): Reading {
  return async (ctx) => {
    const from = timeAt(filled, middleOf(filled))
    const to = new Date(Date.parse(from) + hourMs).toISOString()
    const { lines } = await exportAudit(ctx, filled.auditor.caller, {
      from,
      to,
      format: 'jsonl',
      keyReadsAudit: false,
    })
    let count = 0
    for await (const line of lines) count += line.length > 0 ? 1 : 0
    return count
  }
}

const dayMs = 24 * hourMs

/**
 * The page of insights, for periods that end at the first pending request: of five days, in which
 * the smaller database has as many requests, and of the usual thirty.
 */
function insights({ auditor, member, year }: FilledDatabase): Readonly<Record<string, Reading>> {
  const to = new Date(year.beganMs + (year.requests - year.pending) * 300_000)
  const last = (days: number) => ({ from: new Date(to.getTime() - days * dayMs), to })
  const who = { auditor, member }
  return Object.fromEntries(
    Object.entries(who).flatMap(([name, { caller }]): [string, Reading][] => [
      ...insightKeys.map((by): [string, Reading] => [
        `insights: by ${by}, ${name}`,
        async (ctx) => (await readInsights(ctx, caller, { by, ...last(5) })).items.length,
      ]),
      [
        `insights: thirty days, ${name}`,
        async (ctx) => (await readInsights(ctx, caller, { by: 'queue', ...last(30) })).items.length,
      ],
      [
        `insights: what deserves a look, ${name}`,
        async (ctx) => (await readAttention(ctx, caller, last(5))).days.length,
      ],
      [
        `insights: usage, ${name}`,
        async (ctx) => (await readUsage(ctx, caller, { by: 'worker', ...last(5) })).items.length,
      ],
      [
        `insights: rules that ask, ${name}`,
        async (ctx) =>
          (await readAskingRules(ctx.db, await viewerOf(ctx, caller), last(5).from)).length,
      ],
      [
        `insights: a list of decided, ${name}`,
        async (ctx) =>
          (await listRequests(ctx, caller, { decided: true, ...last(5) })).items.length,
      ],
      [
        `insights: a list of expired unseen, ${name}`,
        async (ctx) =>
          (await listRequests(ctx, caller, { state: 'expired', unseen: true, ...last(5) })).items
            .length,
      ],
      [
        `insights: the runs of a model, ${name}`,
        async (ctx) => (await listRuns(ctx, caller, { active: last(5) })).items.length,
      ],
    ]),
  )
}
