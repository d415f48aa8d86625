import { parseObject } from '#domain/json/parse-json.ts'
import { textIn, valueIn } from '#domain/json/value-in.ts'
import type { Json, JsonObject } from '#domain/json/json.ts'
import { verifyStatement } from '#domain/statements/statement-bytes.ts'
import type { StatementKind } from '#domain/statements/statement.ts'
import { countWords } from '#domain/text/quantities/count-words.ts'
import type { Check } from '../findings/check.ts'
import type { Findings } from '../findings/finding.ts'
import { numberIn, referenceTo, type LoggedEvent } from '../findings/logged-event.ts'
import { textToCompare } from '../findings/text-to-compare.ts'
import { readCounted } from '../authorisation/read-basis.ts'
import type { StoredStatement, Statements } from '../../bundle/statements.ts'

/** For each kind of statement: its event, and the field of the statement with its subject. */
const subjectOfEvent: Readonly<Record<string, { kind: StatementKind; id: string }>> = {
  'run.started': { kind: 'run', id: 'runId' },
  'permit.issued': { kind: 'permit', id: 'permitId' },
  'grant.given': { kind: 'grant', id: 'grantId' },
  'policy.activated': { kind: 'activation', id: 'sequence' },
  'policy.pinned': { kind: 'pin', id: 'server' },
  'policy.proposed': { kind: 'proposal', id: 'proposalId' },
}

/** Statements that exports of earlier versions lack. */
const optional: ReadonlySet<StatementKind> = new Set(['pin', 'proposal'])

/** How long before the newest event a statement without an event may have been signed. */
const unreportedMs = 60_000

/** The most by which something begun with a key has a later time than the key's retirement. */
const retiredWithinMs = 60_000

/**
 * Authenticity of statements: every run, permit, grant and activation in the log was signed with a
 * key of the installation, for the facts of the event; and there is no statement without an event.
 */
export function checkStatements(findings: Findings, statements: Statements, whole: boolean): Check {
  const byKey = new Map<string, StoredStatement>()
  const counts = new Map<string, number>()
  const reported = new Set<string>()
  let newestMs = Number.NEGATIVE_INFINITY
  for (const one of statements.stored) {
    const id = idOf(one)
    const key = `${one.kind} ${id ?? ''}`
    if (id === null) findings.fail(`a statement of kind ${one.kind} cannot be read`)
    else if (byKey.has(key)) findings.fail(`the statement of ${key} is there twice`)
    byKey.set(key, one)
  }
  return {
    take(event) {
      if (event.atMs > newestMs) newestMs = event.atMs
      const subject = valueIn(subjectOfEvent, event.type)
      if (subject === undefined) return
      const key = `${subject.kind} ${subjectOf(event, subject) ?? ''}`
      const statement = byKey.get(key)
      reported.add(key)
      counts.set(subject.kind, (counts.get(subject.kind) ?? 0) + 1)
      // A pin or proposal that no longer exists allows nothing: its event alone proves nothing
      // wrong.
      if (statement === undefined && optional.has(subject.kind)) return
      if (statement === undefined) {
        findings.fail(`the signed statement of ${key} is missing`, referenceTo(event))
      } else hold(event, statement, key)
    },
    end() {
      for (const [key, statement] of byKey) if (!reported.has(key)) failUnreported(key, statement)
      const texts = [...counts].map(([kind, count]) => countWords(count, kind))
      findings.describe(`signed statements: ${texts.join(', ') || 'none'}`)
    },
  }

  function hold(event: LoggedEvent, statement: StoredStatement, key: string): void {
    const at = referenceTo(event)
    if (statements.verifier === null) {
      findings.cannotJudge(`there is no key to verify the statement of ${key} with`, at)
      return
    }
    const signedFacts = verifyStatement<JsonObject>(statements.verifier, statement.kind, statement)
    if (signedFacts === null) {
      findings.fail(`the signature of the statement of ${key} does not hold`, at)
      return
    }
    const retiredAt = statements.verifier.retired?.get(statement.keyId)?.at ?? ''
    if (event.atMs > Date.parse(retiredAt) + retiredWithinMs) {
      findings.fail(`${key} was signed with a key that had been retired at ${retiredAt}`, at)
    }
    for (const field of differences(event, signedFacts)) {
      findings.fail(`the event and the signed statement of ${key} differ in ${field}`, at)
    }
  }

  function failUnreported(key: string, statement: StoredStatement): void {
    const { verifier } = statements
    const signedFacts = verifier && verifyStatement<JsonObject>(verifier, statement.kind, statement)
    if (signedFacts === null) {
      findings.fail(`no event names ${key}, and its signature is not valid`)
      return
    }
    const at = Date.parse(
      textIn(signedFacts, 'issuedAt') ??
        textIn(signedFacts, 'activatedAt') ??
        textIn(signedFacts, 'pinnedAt') ??
        '',
    )
    if (whole && at < newestMs - unreportedMs)
      findings.fail(`no event names ${key}, which was signed`)
  }
}

function subjectOf(
  event: LoggedEvent,
  { kind, id }: { kind: StatementKind; id: string },
): string | null {
  if (kind === 'run') return event.runId
  if (kind === 'pin') return pinOf(event.detail)
  return kind === 'activation' ? String(numberIn(event.detail, id)) : textIn(event.detail, id)
}

function idOf({ kind, statement }: StoredStatement): string | null {
  const field = Object.values(subjectOfEvent).find((one) => one.kind === kind)?.id ?? ''
  const content = parseObject(statement)
  if (content === null) return null
  if (kind === 'pin') return pinOf(content)
  const id = textIn(content, field) ?? numberIn(content, field)
  return id === null ? null : String(id)
}

/** The identity of a pin: one for each server of a worker, for each activation. */
function pinOf(pin: JsonObject): string {
  return textToCompare([pin['activation'], pin['worker'], pin['server']])
}

/** Where a worktree begins; the name of its branch is not signed. */
function beginningOf(worktree: Json | undefined): string | null {
  if (worktree === undefined || worktree === null) return null
  const { base = null, baseCommit = null } = worktree as JsonObject
  return textToCompare([base, baseCommit])
}

/** The fields in which an event differs from the signed statement. */
function differences(event: LoggedEvent, signedFacts: JsonObject): string[] {
  const { detail, type } = event
  // The event of a delegated run leaves this to its root's.
  const isChild = signedFacts['parentRunId'] !== undefined
  const worktree = detail['worktree'] ?? (isChild ? signedFacts['worktree'] : undefined)
  const pairs: Record<string, readonly [unknown, unknown]> =
    type === 'run.started'
      ? {
          worker: [detail['worker'], signedFacts['workerName']],
          workerDigest: [detail['workerDigest'], signedFacts['workerDigest']],
          inputDigest: [detail['inputDigest'], signedFacts['inputDigest']],
          mode: [detail['mode'], signedFacts['mode']],
          startedBy: [detail['startedBy'], signedFacts['startedBy']],
          forkedFrom: [detail['forkedFrom'] ?? null, signedFacts['forkedFrom'] ?? null],
          startRequestId: [detail['startRequestId'] ?? null, signedFacts['startRequestId'] ?? null],
          workspace: [detail['workspace'] ?? null, signedFacts['workspace'] ?? null],
          parentRunId: [detail['parentRunId'] ?? null, signedFacts['parentRunId'] ?? null],
          worktree: [beginningOf(worktree), beginningOf(signedFacts['worktree'])],
        }
      : type === 'permit.issued'
        ? {
            requestId: [event.requestId, signedFacts['requestId']],
            runId: [event.runId, signedFacts['runId']],
            digest: [event.digest, signedFacts['digest']],
            policyDigest: [event.policyDigest, signedFacts['policyDigest']],
            attempt: [detail['attempt'], signedFacts['attempt']],
            expiresAt: [detail['expiresAt'], signedFacts['expiresAt']],
            decision: ['approve', signedFacts['decision']],
            ...(detail['counted'] === undefined ? {} : countedPairs(detail, signedFacts)),
          }
        : type === 'grant.given'
          ? {
              requestId: [event.requestId, signedFacts['requestId']],
              digest: [event.digest, signedFacts['digest']],
              tool: [detail['tool'], signedFacts['tool']],
              scope: [detail['scope'], signedFacts['scope']],
              uses: [detail['uses'], signedFacts['uses']],
              expiresAt: [detail['expiresAt'], signedFacts['expiresAt']],
              grantedBy: [event.actor.id, signedFacts['grantedBy']],
            }
          : type === 'policy.pinned'
            ? {
                policyDigest: [event.policyDigest, signedFacts['policyDigest']],
                definitionsHash: [detail['definitionsHash'], signedFacts['definitionsHash']],
              }
            : type === 'policy.proposed'
              ? {
                  policyDigest: [event.policyDigest, signedFacts['policyDigest']],
                  proposedBy: [event.actor.id, signedFacts['proposedBy']],
                }
              : {
                  policyDigest: [event.policyDigest, signedFacts['policyDigest']],
                  previousDigest: [detail['previousDigest'], signedFacts['previousDigest']],
                  ...(signedFacts['people'] === undefined ? {} : peoplePair(detail, signedFacts)),
                }
  return Object.entries(pairs).flatMap(([field, [eventValue, signedValue]]) =>
    eventValue === signedValue ? [] : [field],
  )
}

/** The people who agreed to a version, which only auditors need. */
function peoplePair(
  detail: JsonObject,
  signedFacts: JsonObject,
): Record<string, readonly [unknown, unknown]> {
  return { people: [textToCompare(detail['people']), textToCompare(signedFacts['people'])] }
}

/** Permits of older versions do not have these. */
function countedPairs(
  detail: JsonObject,
  signedFacts: JsonObject,
): Record<string, readonly [unknown, unknown]> {
  return {
    revision: [detail['revision'], signedFacts['revision']],
    factsDigest: [detail['factsDigest'], signedFacts['factsDigest']],
    deciders: [decidersOf(detail), textToCompare(signedFacts['deciders'])],
  }
}

function decidersOf(detail: JsonObject): string {
  return textToCompare((readCounted(detail) ?? []).map(({ personId }) => personId))
}
