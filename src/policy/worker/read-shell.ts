import { approvalWords } from '#domain/policy/verdict.ts'
import type { ShellPolicy, ShellRule } from '../worker-definition.ts'
import { checkOneReason, readConsent } from '../reading/read-consent.ts'
import { readFields, fieldSource, wrong, type YamlField } from '../reading/yaml-field.ts'
import { readChoice, readList, readOneOrMany, readReference, readText } from '../reading/values.ts'
import { keysOf } from '../schema/parts.ts'
import { shell, shellRule } from '../schema/worker-file.ts'

/** Reads `shell`. Absent `default` is `blocked`: only what rules name may run. */
export function readShell(field: YamlField, zones: ReadonlySet<string>): ShellPolicy {
  const source = fieldSource(field)
  const fields = readFields(field, keysOf(shell))
  const otherwise = fields?.get('default') ?? null
  const rules = fields?.get('rules') ?? null
  return {
    default:
      (otherwise === null ? null : readChoice(otherwise, ['ask', 'blocked'])) === 'ask'
        ? 'ask'
        : 'blocked',
    rules: rules === null ? [] : readList(rules, (item) => readRule(item, zones)),
    source,
  }
}

function readRule(field: YamlField, zones: ReadonlySet<string>): ShellRule | null {
  const fields = readFields(field, keysOf(shellRule))
  if (fields === null) return null
  const patternField = fields.get('pattern')
  const approvalField = fields.get('approval')
  if (patternField === null || approvalField === null) {
    wrong(field, 'is not complete', 'write `{ pattern: git log, approval: preApproved }`')
    return null
  }
  const pattern = readText(patternField)
  const reasonField = fields.get('reason')
  const reason = reasonField === null ? null : readText(reasonField)
  const consent = readConsent(approvalField, approvalWords, reason)
  checkOneReason(approvalField, reasonField)
  const rule = {
    description: fields.read('description', readText, null),
    zones: fields.read(
      'zones',
      (at) => readOneOrMany(at, (item) => readReference(item, 'zone', zones)),
      null,
    ),
    unlessArgs: fields.read('unlessArgs', (at) => readOneOrMany(at, readText) ?? [], []),
  }
  if (pattern === null || consent === null) return null
  return { pattern: pattern.trim().split(/\s+/), consent, ...rule }
}
