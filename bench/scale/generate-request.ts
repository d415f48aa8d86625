import { usualScopes } from '#domain/policy/verdict.ts'
import { signStatement } from '#domain/statements/statement-bytes.ts'
import type { RunStatement } from '#domain/statements/statement.ts'
import { approvalRows } from './approval-rows.ts'
import { generateEvents } from './generate-events.ts'
import { caseAt, dayMs, type Case, type Year } from './request-case.ts'

const rule = { id: 'zone:notes.write', text: 'zone notes: write asks', source: null }

/**
 * The rows of one run whose only call needs an approval: decided by two people, or pending. Keys
 * are the names of tables.
 */
export function generateRequest(year: Year, place: number): Record<string, object[]> {
  const of = caseAt(year, place)
  const statement = runStatementOf(of)
  return {
    ...runRows(of, statement),
    ...callRows(of),
    ...requestRows(of),
    ...(of.isPending ? {} : approvalRows(of)),
    audit_event: eventRows(of, statement),
  }
}

function runStatementOf({ year, ids, starter }: Case): RunStatement {
  return {
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
}

function runRows(
  { year, isPending, at, ids, path, starter }: Case,
  statement: RunStatement,
): Record<string, object[]> {
  const signedRun = signStatement(year.signer, 'run', statement)
  return {
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
  }
}

function callRows({
  year,
  isPending,
  at,
  ids,
  tool,
  digest,
  facts,
}: Case): Record<string, object[]> {
  return {
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
  }
}

function requestRows(of: Case): Record<string, object[]> {
  const { year, place, isPending, at, later, ids, queue, tool, path, digest, facts } = of
  const title = `Write ${path}`
  return {
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
        routing: routingOf(of),
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
    request_principal: [{ request_id: ids.request_id, person_id: of.starter.id, why: 'started' }],
  }
}

function routingOf({ place, isPending, queue }: Case): object {
  const places = [{ team: queue, count: 2 }]
  // Some pending requests also need a person of another team.
  const both = isPending && place % 20 === 0 ? [...places, { team: 'auditors', count: 1 }] : places
  return {
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
}

function eventRows(of: Case, run: RunStatement): object[] {
  const { year, isPending, at, later, id, ids, queue, starter, deciders, digest, factsDigest } = of
  const [first, second] = deciders
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
  return generateEvents(isPending, names, { run, policyDigest: year.policyDigest }, at, (nth) =>
    id('event', nth),
  )
}
