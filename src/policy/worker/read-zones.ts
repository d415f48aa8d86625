import { operations, type Operation } from '#domain/tools/access.ts'
import { approvalWords } from '#domain/policy/verdict.ts'
import type { Consent } from '../routing.ts'
import type { Zone } from '../worker-definition.ts'
import { readConsent } from '../reading/read-consent.ts'
import { nameProblem } from '#sandbox/names/path-names.ts'
import { canonicalRelative } from '../reading/relative-path.ts'
import {
  checkGlob,
  readChoice,
  readName,
  readOneOrMany,
  readText,
  warnOfCase,
} from '../reading/values.ts'
import {
  isListAt,
  isMapAt,
  warn,
  readEntries,
  readFields,
  readItems,
  scalarOf,
  fieldSource,
  wrong,
  type Fields,
  type YamlField,
} from '../reading/yaml-field.ts'
import { keysOf } from '../schema/parts.ts'
import { zone as zoneSchema, zoneApproval } from '../schema/worker-file.ts'

/** Reads `zones`. Two zones may have one root (the stricter decides), but not one name. */
export function readZones(field: YamlField): Zone[] {
  const zones: Zone[] = []
  const names = new Set<string>()
  const compareCase = warnOfCase()
  for (const item of readItems(field)) {
    const zone = readZone(item)
    if (zone === null) continue
    if (names.has(zone.name)) {
      wrong(item, `is a second zone "${zone.name}"`, 'give each zone a name of its own')
    }
    names.add(zone.name)
    compareCase(item, zone.name)
    zones.push(zone)
  }
  return zones
}

/** The names of zones, including invalid zones: one mistake, one message. */
export function zoneNamesAt(field: YamlField): Set<string> {
  if (!isListAt(field)) return new Set()
  const fields = readItems(field).map((item) => (isMapAt(item) ? new Map(readEntries(item)) : null))
  const names = fields.map((zoneKeys) => zoneKeys?.get('name') ?? null)
  return new Set(names.map((name) => (name === null ? '' : String(scalarOf(name)))))
}

function readZone(field: YamlField): Zone | null {
  const fields = readFields(field, keysOf(zoneSchema))
  if (fields === null) return null
  const name = fields.readNeeded('name', 'name it; rules and messages use the name', readName)
  const root = fields.readNeeded('root', 'write the folder, like `root: ./notes`', readRoot)
  const zone = {
    mode: readMode(fields),
    suffixes: fields.read('suffixes', (at) => readOneOrMany(at, readSuffix) ?? [], null),
    approval: readApproval(fields),
    protected: fields.read('protected', (at) => readOneOrMany(at, readGlob) ?? [], []),
    source: fieldSource(field),
  }
  if (saysReadOnly(fields) && (zone.approval.write ?? zone.approval.delete) !== undefined) {
    warn(field, 'is read-only, so its word on writing never counts', 'write `mode: rw`')
  }
  return name !== null && root !== null ? { name, root, ...zone } : null
}

/**
 * Whether a zone is read only, as it is without a mode. False for an invalid mode: what was meant
 * is unknown.
 */
function saysReadOnly(fields: Fields): boolean {
  const field = fields.get('mode')
  return field === null || scalarOf(field) === 'ro'
}

/** The mode of a zone; the default is read only. */
function readMode(fields: Fields): Zone['mode'] {
  const field = fields.get('mode')
  return field === null ? 'ro' : (readChoice(field, ['ro', 'rw']) ?? 'ro')
}

function readRoot(field: YamlField): string | null {
  const text = readText(field)
  const root = text === null ? null : canonicalRelative(text)
  if (text !== null && root === null) {
    wrong(
      field,
      `is ${JSON.stringify(text)}, which is not inside the workspace`,
      'write a folder relative to the workspace root, without ".."',
    )
  }
  if (root !== null && root !== '') checkRootNames(field, root)
  return root
}

/** Names that no path may have, and names that look like something else. */
function checkRootNames(field: YamlField, root: string): void {
  const components = root.split('/')
  const wrongName = components.map(nameProblem).find((problem) => problem !== null)
  if (wrongName !== undefined) {
    wrong(
      field,
      `is ${JSON.stringify(root)}, and no tool takes such a path: ${wrongName}`,
      'rename it',
    )
  }
  const letter = /^~|[$*?]/.exec(root)?.[0]
  if (letter !== undefined) {
    const problem = `is ${JSON.stringify(root)}: nothing stands for "${letter}", the folder is called so`
    warn(field, problem, 'write the name of the folder')
  }
}

function readApproval(fields: Fields): Zone['approval'] {
  const field = fields.get('approval')
  const approvals = field === null ? null : readFields(field, keysOf(zoneApproval))
  const [inner, outer] = [approvals?.get('reason') ?? null, fields.get('reason')].map((reason) =>
    reason === null ? null : readText(reason),
  )
  if (approvals === null) return {}
  const reason = inner ?? outer ?? null
  const approval: Partial<Record<Operation, Consent>> = {}
  for (const operation of operations) {
    const value = approvals.get(operation)
    const consent = value === null ? null : readConsent(value, approvalWords, reason)
    if (consent !== null) approval[operation] = consent
  }
  return approval
}

function readSuffix(field: YamlField): string | null {
  const text = readText(field)
  if (text === null || /^\.[^/\s]+$/.test(text)) return text
  wrong(field, `is ${JSON.stringify(text)}`, 'write it with its dot, like ".md"')
  return null
}

function readGlob(field: YamlField): string | null {
  const text = readText(field)
  const glob = text === null ? null : canonicalRelative(text)
  if (text !== null && (glob === null || glob === '')) {
    wrong(field, `is ${JSON.stringify(text)}`, 'write a pattern like ".github/**"')
    return null
  }
  if (glob !== null && !checkGlob(field, glob)) return null
  return glob
}
