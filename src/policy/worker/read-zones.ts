import type { ApprovalWord, Consent, Zone, ZoneOperation } from '../policy.ts'
import { readConsent } from '../reading/read-consent.ts'
import { nameProblem } from '../../sandbox/path-names.ts'
import { canonicalRelative } from '../reading/relative-path.ts'
import {
  isListAt,
  isMapAt,
  odd,
  readEntries,
  readFields,
  readItems,
  scalarOf,
  spotSource,
  wrong,
  type Fields,
  type Spot,
} from '../reading/spot.ts'
import { checkName, readChoice, readOneOrMany, readText, warnOfCase } from '../reading/values.ts'
import { keysOf } from '../schema/parts.ts'
import { zone as zoneSchema, zoneApproval } from '../schema/worker-file.ts'

const words: readonly ApprovalWord[] = ['preApproved', 'ask', 'blocked']
const operations: readonly ZoneOperation[] = ['read', 'write', 'delete', 'share']

/** Reads `zones`. Two zones may have one root (the stricter decides), but not one name. */
export function readZones(spot: Spot): Zone[] {
  const zones: Zone[] = []
  for (const item of readItems(spot)) {
    const zone = readZone(item)
    if (zone === null) continue
    if (zones.some((other) => other.name === zone.name)) {
      wrong(item, `is a second zone "${zone.name}"`, 'give each zone a name of its own')
    }
    warnOfCase(item, zone.name, zones)
    zones.push(zone)
  }
  return zones
}

/** Names that are written, whether or not their zones are right: one mistake, one message. */
export function zoneNamesAt(spot: Spot): Set<string> {
  if (!isListAt(spot)) return new Set()
  const fields = readItems(spot).map((item) => (isMapAt(item) ? new Map(readEntries(item)) : null))
  const names = fields.map((found) => found?.get('name') ?? null)
  return new Set(names.map((name) => (name === null ? '' : String(scalarOf(name)))))
}

function readZone(spot: Spot): Zone | null {
  const fields = readFields(spot, keysOf(zoneSchema))
  if (fields === null) return null
  const nameSpot = fields.get('name')
  const rootSpot = fields.get('root')
  if (nameSpot === null) wrong(spot, 'has no "name"', 'name it; rules and messages use the name')
  if (rootSpot === null) wrong(spot, 'has no "root"', 'write the folder, like `root: ./notes`')
  const name = nameSpot === null ? null : readText(nameSpot)
  const root = rootSpot === null ? null : readRoot(rootSpot)
  const named = name !== null && nameSpot !== null && checkName(nameSpot, name)
  const suffixes = fields.get('suffixes')
  const guarded = fields.get('protected')
  const zone = {
    mode: readMode(fields),
    suffixes: suffixes === null ? null : (readOneOrMany(suffixes, readSuffix) ?? []),
    approval: readApproval(fields),
    protected: guarded === null ? [] : (readOneOrMany(guarded, readGlob) ?? []),
    source: spotSource(spot),
  }
  if (saysReadOnly(fields) && (zone.approval.write ?? zone.approval.delete) !== undefined) {
    odd(spot, 'is read-only, so its word on writing never counts', 'write `mode: rw`')
  }
  return named && root !== null ? { name, root, ...zone } : null
}

/** What was meant by a mode that is no mode is not known. */
function saysReadOnly(fields: Fields): boolean {
  const spot = fields.get('mode')
  return spot === null || scalarOf(spot) === 'ro'
}

/** A zone that does not say its mode can only be read. */
function readMode(fields: Fields): Zone['mode'] {
  const spot = fields.get('mode')
  return spot === null ? 'ro' : (readChoice(spot, ['ro', 'rw']) ?? 'ro')
}

function readRoot(spot: Spot): string | null {
  const text = readText(spot)
  const root = text === null ? null : canonicalRelative(text)
  if (text !== null && root === null) {
    wrong(
      spot,
      `is ${JSON.stringify(text)}, which is not inside the workspace`,
      'write a folder relative to the workspace root, without ".."',
    )
  }
  if (root !== null && root !== '') checkRootNames(spot, root)
  return root
}

/** Names that no path may have, and such as look like something else. */
function checkRootNames(spot: Spot, root: string): void {
  const components = root.split('/')
  const refused = components.map(nameProblem).find((problem) => problem !== null)
  if (refused !== undefined) {
    wrong(
      spot,
      `is ${JSON.stringify(root)}, and no tool takes such a path: ${refused}`,
      'rename it',
    )
  }
  const letter = /^~|[$*?]/.exec(root)?.[0]
  if (letter !== undefined) {
    const problem = `is ${JSON.stringify(root)}: nothing stands for "${letter}", the folder is called so`
    odd(spot, problem, 'write the name of the folder')
  }
}

function readApproval(fields: Fields): Zone['approval'] {
  const spot = fields.get('approval')
  const given = spot === null ? null : readFields(spot, keysOf(zoneApproval))
  const [inner, outer] = [given?.get('reason') ?? null, fields.get('reason')].map((reason) =>
    reason === null ? null : readText(reason),
  )
  if (given === null) return {}
  const reason = inner ?? outer ?? null
  const approval: Partial<Record<ZoneOperation, Consent>> = {}
  for (const operation of operations) {
    const value = given.get(operation)
    const consent = value === null ? null : readConsent(value, words, reason)
    if (consent !== null) approval[operation] = consent
  }
  return approval
}

function readSuffix(spot: Spot): string | null {
  const text = readText(spot)
  if (text === null || /^\.[^/\s]+$/.test(text)) return text
  wrong(spot, `is ${JSON.stringify(text)}`, 'write it with its dot, like ".md"')
  return null
}

function readGlob(spot: Spot): string | null {
  const text = readText(spot)
  const glob = text === null ? null : canonicalRelative(text)
  if (text !== null && (glob === null || glob === '')) {
    wrong(spot, `is ${JSON.stringify(text)}`, 'write a pattern like ".github/**"')
    return null
  }
  return glob
}
