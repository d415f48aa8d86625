import { usualScopes } from '#domain/policy/verdict.ts'
import { callDigest, hashBytes } from '#domain/json/digest.ts'
import { signStatement, type Signer } from '#domain/statements/statement-bytes.ts'
import type { PermitStatement, RunStatement } from '#domain/statements/statement.ts'
import { generateEvents } from './generate-events.ts'

export interface Person {
  readonly id: string
  readonly name: string
}

/** The values that all rows share: people, policy, and the start of the year. */
export interface Year {
  readonly people: readonly Person[]
  readonly queues: readonly string[]
  readonly worker: { readonly name: string; readonly digest: string }
  readonly policyDigest: string
  readonly contentHash: string
  readonly signer: Signer
  /** requests in all; the last `pending` of them wait */
  readonly requests: number
  readonly pending: number
  readonly beganMs: number
}

const apartMs = 5 * 60_000
const dayMs = 24 * 3_600_000
const kinds = { run: 1, call: 2, request: 3, permit: 4, decision: 5, event: 6 }
const subjects = ['notes', 'invoices', 'deploy', 'customers', 'schema', 'reports', 'pricing']

/**
 * The rows of one run whose only call needs an approval: decided by two people, or pending. Keys
 * are the names of tables.
 */
export function generateRequest(year: Year, place: number): Record<string, object[]> {
  const isPending = place >= year.requests - year.pending
  const at = new Date(year.beganMs + place * apartMs)
  const later = new Date(at.getTime() + 30 * dayMs)
  const id = (kind: keyof typeof kinds, nth = 0): string => idAt(at, kinds[kind], place, nth)
  const queue = year.queues[place % year.queues.length] ?? ''
  const [starter, first, second] = [
    personAt(year, place),
    personAt(year, place + 7),
    personAt(year, place + 14),
  ]
  const tool = place % 40 === 0 ? 'delete_file' : 'write_file'
  const path = `${subjects[place % subjects.length]}/${place}.md`
  const digest = callDigest({ tool, input: { path }, toolHash: year.contentHash })
  const factsDigest = hashBytes(path)
  const facts = { toolHash: year.contentHash, bases: [{ path, hash: 'absent' }] }
  const places = [{ team: queue, count: 2 }]
  // Some pending requests also need a person of another team.
  const both = isPending && place % 20 === 0 ? [...places, { team: 'auditors', count: 1 }] : places
  const routing = {
    queue,
    team: queue,
    quorum: { any: [both] },
    quorumText: `2 of ${queue}`,
    expiresAfterMs: 3 * dayMs,
    permitForMs: 30 * dayMs,
    scopes: usualScopes,
    edits: 'approve',
    selfApproval: false,
    signature: 'optional',
  }
  const rule = { id: 'zone:notes.write', text: 'zone notes: write asks', source: null }
  const ids = { run_id: id('run'), request_id: id('request'), call_id: id('call') }
  const title = `Write ${path}`
  const runStatement: RunStatement = {
    version: 1,
    runId: ids.run_id,
    rootRunId: ids.run_id,
    parentCallId: null,
    workerName: year.worker.name,
    workerDigest: year.worker.digest,
    inputDigest: year.contentHash,
    mode: 'prompt',
    startedBy: starter.id,
  }
  const signedRun = signStatement(year.signer, 'run', runStatement)
  const rows: Record<string, object[]> = {
    run: [
      {
        id: ids.run_id,
        root_run_id: ids.run_id,
        worker: year.worker.name,
        worker_digest: year.worker.digest,
        policy_digest: year.policyDigest,
        mode: 'prompt',
        state: isPending ? 'waiting_for_approval' : 'completed',
        input_digest: year.contentHash,
        title: `Keep ${path}`,
        started_by: starter.id,
        workflow_id: `run-${ids.run_id}`,
        task_queue: 'bench',
        turn: 1,
        pending_requests: isPending ? 1 : 0,
        epoch: 1,
        created_at: at,
        ended_at: isPending ? null : at,
        signature: signedRun.signature,
        key_id: signedRun.keyId,
      },
    ],
    turn_attempt: [
      {
        run_id: ids.run_id,
        turn: 1,
        attempt: 1,
        started_at: at,
        finished_at: at,
        input_tokens: 4_000,
        cached_input_tokens: 3_000,
        output_tokens: 200,
        cost_usd: 0.02,
      },
    ],
    run_lineage: [{ run_id: ids.run_id, ancestor_id: ids.run_id, depth: 0 }],
    tool_call: [
      {
        id: ids.call_id,
        run_id: ids.run_id,
        turn: 1,
        position: 1,
        tool_call_id: 'call-1',
        tool,
        input_hash: year.contentHash,
        digest,
        verdict: 'ask',
        rule,
        policy_digest: year.policyDigest,
        read_only: false,
        manual: false,
        facts,
        request_id: ids.request_id,
        judged_times: 1,
        result_type: isPending ? null : 'output',
        finished_at: isPending ? null : at,
      },
    ],
    request: [
      {
        id: ids.request_id,
        kind: 'tool_call',
        state: isPending ? 'pending' : 'approved',
        revision: 1,
        queue,
        team: queue,
        risk: (['low', 'medium', 'medium', 'high'] as const)[place % 4],
        tool,
        title,
        digest,
        policy_digest: year.policyDigest,
        rule,
        routing,
        run_id: ids.run_id,
        root_run_id: ids.run_id,
        call_id: ids.call_id,
        turn: 1,
        position: 1,
        attempt: 1,
        previous: [],
        created_at: at,
        expires_at: isPending ? new Date(Date.now() + (1 + (place % 72)) * 3_600_000) : later,
        decided_at: isPending ? null : at,
        epoch: 1,
      },
    ],
    request_revision: [
      {
        request_id: ids.request_id,
        revision: 1,
        title,
        digest,
        input_hash: year.contentHash,
        facts,
        presentation_hash: year.contentHash,
        presentation_digest: year.contentHash,
        content_hash: year.contentHash,
        content_type: 'text/plain',
        created_at: at,
      },
    ],
    request_principal: [{ request_id: ids.request_id, person_id: starter.id, why: 'started' }],
  }
  if (!isPending) {
    const permit: PermitStatement = {
      version: 1,
      permitId: id('permit'),
      requestId: ids.request_id,
      revision: 1,
      runId: ids.run_id,
      callId: ids.call_id,
      digest,
      factsDigest,
      decision: 'approve',
      deciders: [first.id, second.id],
      policyDigest: year.policyDigest,
      issuedAt: at.toISOString(),
      expiresAt: later.toISOString(),
      nonce: id('permit'),
      attempt: 1,
      epoch: 1,
    }
    const signedPermit = signStatement(year.signer, 'permit', permit)
    rows['decision'] = [first, second].map((decider, nth) => ({
      id: id('decision', nth),
      request_id: ids.request_id,
      revision: 1,
      person_id: decider.id,
      decision: 'approve',
      digest,
      self_approved: false,
      edited: false,
      channel: 'dashboard',
      at,
    }))
    rows['permit'] = [
      {
        ...ids,
        id: id('permit'),
        revision: 1,
        attempt: 1,
        state: 'consumed',
        statement: signedPermit.statement,
        signature: signedPermit.signature,
        key_id: signedPermit.keyId,
        epoch: 1,
        issued_at: at,
        expires_at: later,
        ended_at: at,
      },
    ]
    rows['execution'] = [
      {
        call_id: ids.call_id,
        attempt: 1,
        state: 'succeeded',
        request_id: ids.request_id,
        permit_id: id('permit'),
        executed_digest: digest,
        epoch: 1,
        started_at: at,
        finished_at: at,
      },
    ]
  }
  const names: Readonly<Record<string, string>> = {
    r1: ids.run_id,
    c1: ids.call_id,
    q1: ids.request_id,
    p1: id('permit'),
    d1: digest,
    f1: factsDigest,
    platform: queue,
    '2 of platform': `2 of ${queue}`,
    'person-ada': starter.id,
    'person-grace': first.id,
    'person-linus': second.id,
    grace: first.name,
    linus: second.name,
    '2026-04-01T00:00:00.000Z': later.toISOString(),
  }
  rows['audit_event'] = generateEvents(
    isPending,
    names,
    { run: runStatement, policyDigest: year.policyDigest },
    at,
    (nth) => id('event', nth),
  )
  return rows
}

/** The people in turn. */
export function personAt({ people }: Year, place: number): Person {
  const person = people[place % people.length]
  if (person === undefined) throw new RangeError('A year takes people')
  return person
}

/** An id that sorts by time, like those of the service. */
function idAt(at: Date, kind: number, place: number, nth: number): string {
  const time = at.getTime().toString(16).padStart(12, '0')
  const rest = place.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${kind}${nth.toString(16)}0-8000-${rest}`
}
