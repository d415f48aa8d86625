import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { canonicalJson } from '#domain/json/digest.ts'
import type { JsonObject } from '#domain/json/json.ts'
import { signStatement, type Signer, type Verifier } from '#domain/statements/statement-bytes.ts'
import type { StatementKind } from '#domain/statements/statement.ts'
import { checkStatements } from './check-statements.ts'
import { Findings, type Verdict } from '../findings/finding.ts'
import { readEvent } from '../findings/logged-event.ts'
import type { StoredStatement } from '../../bundle/statements.ts'

const { publicKey, privateKey } = generateKeyPairSync('ed25519')
const signer: Signer = { keyId: 'key', privateKey }
const verifier: Verifier = { publicKeys: new Map([['key', publicKey]]) }

function kept(kind: StatementKind, statement: object): StoredStatement {
  return { kind, ...signStatement(signer, kind, statement) }
}

function verdictOn(
  events: readonly JsonObject[],
  statements: readonly StoredStatement[],
  by: Verifier = verifier,
): Verdict {
  const findings = new Findings('authenticity')
  const check = checkStatements(findings, { stored: statements, verifier: by }, true)
  for (const [index, event] of events.entries()) {
    const dated = { id: `e${index}`, at: '2026-03-01T12:00:00.000Z', channel: 'api', ...event }
    const logged = readEvent(index, canonicalJson(dated))
    if (logged !== null) check.take(logged)
  }
  check.end()
  return findings.verdict()
}

function judge(...evidence: Parameters<typeof verdictOn>): string[] {
  return verdictOn(...evidence).findings.map(({ problem }) => problem)
}

const system = { type: 'system' }
const activated = {
  type: 'policy.activated',
  actor: system,
  policyDigest: 'sha256:p',
  detail: { sequence: 3, previousDigest: 'sha256:o', people: ['olga', 'edsger'] },
}
const activation = {
  version: 1,
  policyDigest: 'sha256:p',
  previousDigest: 'sha256:o',
  activatedAt: '2026-03-01T12:00:00.000Z',
  sequence: 3,
  people: ['olga', 'edsger'],
}
const pinned = {
  type: 'policy.pinned',
  actor: system,
  policyDigest: 'sha256:p',
  detail: { activation: 3, worker: 'scribe', server: 'files', definitionsHash: 'sha256:d' },
}
const pin = { version: 1, policyDigest: 'sha256:p', ...pinned.detail }
const proposed = {
  type: 'policy.proposed',
  actor: { type: 'person', id: 'olga', name: 'Olga' },
  policyDigest: 'sha256:p',
  detail: { proposalId: 'x1' },
}
const proposal = { version: 1, proposalId: 'x1', policyDigest: 'sha256:p', proposedBy: 'olga' }

const all = [kept('activation', activation), kept('pin', pin), kept('proposal', proposal)]

describe('signed statements', () => {
  test('of versions, pins and proposals hold if they agree with their events', () => {
    expect(judge([proposed, activated, pinned], all)).toEqual([])
  })

  test('are counted with a plural for more than one', () => {
    const later = { ...activated, detail: { ...activated.detail, sequence: 4 } }
    const stored = [...all, kept('activation', { ...activation, sequence: 4 })]
    expect(verdictOn([activated, later, pinned, proposed], stored)).toMatchObject({
      outcome: 'holds',
      notes: ['signed statements: 2 activations, 1 pin, 1 proposal'],
    })
  })

  test('fail if they name other people, another proposer or other definitions', () => {
    const changed = [
      kept('activation', { ...activation, people: ['olga', 'mallory'] }),
      kept('pin', { ...pin, definitionsHash: 'sha256:other' }),
      kept('proposal', { ...proposal, proposedBy: 'mallory' }),
    ]
    expect(judge([proposed, activated, pinned], changed)).toEqual([
      expect.stringContaining('differ in proposedBy'),
      expect.stringContaining('differ in people'),
      expect.stringContaining('differ in definitionsHash'),
    ])
  })

  // Rules: security.md 13
  test('fail if an event differs in what has no canonical form, or is nested thousands of levels deep', () => {
    const about = { id: 'e', at: '2026-03-01T12:00:00.000Z', channel: 'api', runId: 'r1' }
    const detail = { worktree: { base: '\ud800' } }
    const started = JSON.stringify({ ...about, type: 'run.started', actor: system, detail })
    const nested = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
    const people = JSON.stringify(activated.detail.people)
    const named = JSON.stringify({ ...about, ...activated }).replace(people, nested)
    const findings = new Findings('authenticity')
    const own = [kept('run', { version: 1, runId: 'r1' }), kept('activation', activation)]
    const check = checkStatements(findings, { stored: own, verifier }, true)
    for (const text of [started, named]) check.take(readEvent(0, text)!)
    expect(findings.verdict().findings.map(({ problem }) => problem)).toEqual([
      expect.stringContaining('differ in worktree'),
      expect.stringContaining('differ in people'),
    ])
  })

  test('of a version are required; deleted pins and proposals permit nothing, so they are not', () => {
    expect(judge([proposed, activated, pinned], [])).toEqual([
      'the signed statement of activation 3 is missing',
    ])
  })

  // Rules: security.md 13
  test('fail if they were signed with a key after its retirement, and hold if before', () => {
    const retiredAt = (at: string): Verifier => ({
      ...verifier,
      retired: new Map([['key', { publicKey, at }]]),
    })
    const events = [activated]
    const statements = [kept('activation', activation)]
    expect(judge(events, statements, retiredAt('2026-03-01T12:30:00.000Z'))).toEqual([])
    expect(judge(events, statements, retiredAt('2026-03-01T11:30:00.000Z'))).toEqual([
      'activation 3 was signed with a key that had been retired at 2026-03-01T11:30:00.000Z',
    ])
  })

  // Rules: product.md 35
  test('of a run hold in the workspace of its event, and fail in another one or in none', () => {
    const started = {
      type: 'run.started',
      actor: system,
      runId: 'r1',
      detail: { worker: 'scribe', startedBy: 'ada', workspace: 'shop' },
    }
    const run = {
      version: 1,
      runId: 'r1',
      workerName: 'scribe',
      startedBy: 'ada',
      workspace: 'shop',
    }
    expect(judge([started], [kept('run', run)])).toEqual([])
    const { workspace: _, ...inDefault } = run
    for (const other of [{ ...run, workspace: 'other' }, inDefault]) {
      expect(judge([started], [kept('run', other)])).toEqual([
        expect.stringContaining('differ in workspace'),
      ])
    }
  })

  // Rules: product.md 35
  test('of a run hold for the worktree of its event, and fail for another beginning or none', () => {
    const worktree = { base: 'main', baseCommit: 'a'.repeat(40) }
    const started = {
      type: 'run.started',
      actor: system,
      runId: 'r1',
      detail: { worktree: { branch: 'countersign/1-scribe', ...worktree } },
    }
    const run = { version: 1, runId: 'r1', worktree }
    expect(judge([started], [kept('run', run)])).toEqual([])
    for (const other of [
      { ...run, worktree: { ...worktree, baseCommit: 'b'.repeat(40) } },
      { ...run, worktree: { ...worktree, base: 'other' } },
      { version: 1, runId: 'r1' },
    ]) {
      expect(judge([started], [kept('run', other)])).toEqual([
        expect.stringContaining('differ in worktree'),
      ])
    }
    expect(judge([{ ...started, detail: {} }], [kept('run', run)])).toHaveLength(1)
  })
})
