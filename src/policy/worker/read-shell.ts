import type { ShellPolicy, ShellRule } from '../policy.ts'
import { checkOneReason, readConsent } from '../reading/read-consent.ts'
import { readFields, spotSource, wrong, type Spot } from '../reading/spot.ts'
import { readChoice, readList, readOneOrMany, readReference, readText } from '../reading/values.ts'
import { keysOf } from '../schema/parts.ts'
import { shell, shellRule } from '../schema/worker-file.ts'

/** Reads `shell`. Absent `default` is `blocked`: only what rules name may run. */
export function readShell(spot: Spot, zones: ReadonlySet<string>): ShellPolicy {
  const source = spotSource(spot)
  const fields = readFields(spot, keysOf(shell))
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

function readRule(spot: Spot, zones: ReadonlySet<string>): ShellRule | null {
  const fields = readFields(spot, keysOf(shellRule))
  if (fields === null) return null
  const patternSpot = fields.get('pattern')
  const approvalSpot = fields.get('approval')
  if (patternSpot === null || approvalSpot === null) {
    wrong(spot, 'is not complete', 'write `{ pattern: git log, approval: preApproved }`')
    return null
  }
  const pattern = readText(patternSpot)
  const reasonSpot = fields.get('reason')
  const reason = reasonSpot === null ? null : readText(reasonSpot)
  const consent = readConsent(approvalSpot, ['preApproved', 'ask', 'blocked'], reason)
  checkOneReason(approvalSpot, reasonSpot)
  const description = fields.get('description')
  const zoneSpot = fields.get('zones')
  const unlessArgs = fields.get('unlessArgs')
  const rule = {
    description: description === null ? null : readText(description),
    zones:
      zoneSpot === null
        ? null
        : readOneOrMany(zoneSpot, (item) => readReference(item, 'zone', zones)),
    unlessArgs: unlessArgs === null ? [] : (readOneOrMany(unlessArgs, readText) ?? []),
  }
  if (pattern === null || consent === null) return null
  return { pattern: pattern.trim().split(/\s+/), consent, ...rule }
}
