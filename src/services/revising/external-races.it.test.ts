import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { callDigest } from '#domain/json/digest.ts'
import { unknownToolHash } from '#policy/judge/unknown-tool.ts'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { addPerson, type TestPerson } from '#test/harness/fixtures/people.ts'
import { decideAs } from '#test/harness/fixtures/runs/decide-as.ts'
import { consumePermit } from '../external/consume-permit.ts'
import { openProgramDesk } from '../external/external.fixture.ts'
import { reportOutcome } from '../external/report-outcome.ts'
import { withdrawRequest } from '../external/withdraw-request.ts'
import { revokePermit } from '../permits/revoke-permit.ts'
import { commentRequest } from '../requests/comment-request.ts'
import type { RequestDetailRecord } from '../requests/facts/request-record.ts'
import { reviseRequest } from './revise-request.ts'

const desk = disposeAfterTests(await openProgramDesk())
const { ctx, db } = desk.service
const edsger = await addPerson(db, 'Edsger', ['platform'])
const tony = await addPerson(db, 'Tony', ['platform'])

const rounds = 60
const changed = { service: 'shop', version: '1.4.1' }
const changedDigest = callDigest({
  tool: 'deploy',
  input: changed,
  toolHash: unknownToolHash('deploy'),
})

const approve = (person: TestPerson, request: RequestDetailRecord) =>
  decideAs(ctx, person, request, { reason: 'ok', seen: request.presentation.digest })

/** Everything that may happen to a program's request, by name; most of it twice. */
function attemptsOn(
  request: RequestDetailRecord,
): Readonly<Record<string, () => Promise<unknown>>> {
  const { id, digest } = request
  const { caller } = desk.program
  const consume = (of: string) => () => consumePermit(ctx, caller, { request: id, digest: of })
  const revise = () =>
    reviseRequest(ctx, tony.caller, { request: id, digest, revision: 1, input: changed })
  return {
    approveFirst: () => approve(desk.linus, request),
    approveFirstToo: () => approve(edsger, request),
    approveWhateverIsThere: async () => approve(edsger, await desk.read(id)),
    approveOwnChange: async () => approve(tony, await desk.read(id)),
    revise,
    reviseToo: revise,
    comment: () => commentRequest(ctx, edsger.caller, { request: id, text: 'Is it so?' }),
    withdraw: () => withdrawRequest(ctx, caller, { request: id }),
    revoke: () => revokePermit(ctx, desk.linus.caller, { request: id, reason: 'no' }),
    consumeFirst: consume(digest),
    consumeFirstToo: consume(digest),
    consumeChanged: consume(changedDigest),
    report: () => reportOutcome(ctx, caller, { request: id, state: 'succeeded', summary: null }),
  }
}

/** An order that differs from round to round and is the same in every run. */
function orderOf<T>(items: readonly T[], round: number): T[] {
  let state = round + 1
  const keyed = items.map((item) => {
    state = (state * 48_271) % 2_147_483_647
    return { item, key: state }
  })
  return keyed.toSorted((a, b) => a.key - b.key).map(({ item }) => item)
}

interface EndOfRace {
  readonly state: string
  readonly revision: number
  readonly digest: string
  readonly events: readonly string[]
  readonly sequences: readonly number[]
  readonly deciders: readonly string[]
  readonly permits: readonly { readonly state: string; readonly digest: string }[]
}

async function endOf(requestId: string): Promise<EndOfRace> {
  const { rows } = await sql<EndOfRace>`
    select state, revision, digest,
      array(select type from audit_event where request_id = request.id order by sequence) as events,
      array(select sequence::int from audit_event where request_id = request.id order by sequence) as sequences,
      array(select person_id::text from decision
        where request_id = request.id and revision = request.revision) as deciders,
      (select coalesce(jsonb_agg(jsonb_build_object('state', state, 'digest', statement::jsonb ->> 'digest')), '[]')
        from permit where request_id = request.id) as permits
    from request where id = ${requestId}
  `.execute(db)
  const [row] = rows
  if (row === undefined) throw new Error('the request is gone')
  return row
}

// Rules: product.md 6, 7, 11, 13; security.md 12
test('approvals, changes, withdrawals, revocations and uses at once end in one of them: nothing is used twice, after its revocation, or by another digest than the approved one', async () => {
  const ends = new Set<string>()
  for (let round = 0; round < rounds; round += 1) {
    const request = await desk.ask()
    const attempts = orderOf(Object.entries(attemptsOn(request)), round)
    const outcomes = new Map<string, unknown>()
    await Promise.all(
      attempts.map(async ([name, attempt]) => {
        outcomes.set(name, await attempt().catch((error: { code?: string }) => error.code ?? error))
      }),
    )
    const end = await endOf(request.id)
    const where = JSON.stringify({ round, outcomes: [...outcomes], end })
    const count = (type: string) => end.events.filter((one) => one === type).length
    const isApproved = end.state === 'approved'
    expect(end.sequences, where).toEqual(end.sequences.map((_, at) => at + 1))
    // Every refusal has a code: none is an error of the database.
    for (const outcome of outcomes.values()) expect(outcome, where).not.toBeInstanceOf(Error)
    expect(count('permit.issued'), where).toBe(isApproved ? 1 : 0)
    expect(count('request.cancelled'), where).toBe(end.state === 'cancelled' ? 1 : 0)
    expect(count('request.revised'), where).toBe(end.revision - 1)
    expect(count('permit.consumed') + count('permit.revoked'), where).toBeLessThanOrEqual(1)
    expect(end.permits, where).toHaveLength(isApproved ? 1 : 0)
    if (isApproved) expect(end.permits[0]?.digest, where).toBe(end.digest)
    expect(end.digest, where).toBe(end.revision === 1 ? request.digest : changedDigest)
    if (end.revision === 2) expect(end.deciders, where).not.toContain(tony.id)
    const took = ['consumeFirst', 'consumeFirstToo', 'consumeChanged'].flatMap((name) => {
      const permit = outcomes.get(name)
      return typeof permit === 'object' ? [permit] : []
    })
    expect(took, where).toHaveLength(count('permit.consumed'))
    for (const permit of took) expect(permit, where).toMatchObject({ digest: end.digest })
    expect(count('execution.started'), where).toBe(took.length)
    expect(count('execution.finished'), where).toBeLessThanOrEqual(took.length)
    ends.add(`${end.state} ${end.revision} ${end.permits[0]?.state ?? ''}`)
  }
  // Rounds that all ended alike would have raced nothing.
  expect(ends.size).toBeGreaterThan(1)
}, 120_000)
