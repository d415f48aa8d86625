import { callWorkerName, type BuiltInToolName } from '#domain/tools/built-in-tools.ts'
import { isChange, type Operation } from '#domain/tools/access.ts'
import type { WorkerDefinition, Zone } from '../../worker-definition.ts'
import { hasBuiltIn } from '../../worker/built-in-tools-of.ts'
import { zoneOpinion } from '../consent/zone-consent.ts'
import { lineWithoutTool, type PreviewLine } from './preview-line.ts'

interface ZoneAct {
  readonly operation: Operation
  readonly verb: string
  readonly tools: readonly BuiltInToolName[]
}

const acts: readonly ZoneAct[] = [
  { operation: 'read', verb: 'Read', tools: ['read_file', 'list_files', 'search_files'] },
  { operation: 'write', verb: 'Write and edit', tools: ['write_file', 'edit_file'] },
  { operation: 'delete', verb: 'Delete and move', tools: ['delete_file', 'move_file'] },
  { operation: 'share', verb: 'Hand to another worker', tools: [callWorkerName] },
]

/** What a worker may do to files, zone by zone. */
export function zoneLines(worker: WorkerDefinition): readonly PreviewLine[] {
  if (worker.zones.length === 0) return [lineWithoutTool('Read or change any file')]
  const lines = worker.zones.flatMap((zone) =>
    acts
      .filter(({ tools }) => tools.every((tool) => hasBuiltIn(worker, tool)))
      .map((act) => zoneLine(zone, act)),
  )
  const isWhole = worker.zones.some(({ root }) => root === '')
  return [
    ...lines,
    ...worker.zones.flatMap(protectedLine),
    ...(isWhole ? [] : [lineWithoutTool('Read or change files anywhere else')]),
  ]
}

function zoneLine(zone: Zone, { operation, verb, tools }: ZoneAct): PreviewLine {
  const text = `${verb} files in ${placeOf(zone)}${isChange({ operation }) ? suffixesOf(zone) : ''}`
  if (isChange({ operation }) && zone.mode === 'ro') {
    return {
      approval: 'blocked',
      text,
      place: zone.root,
      tools,
      reason: 'read only',
      source: zone.source,
    }
  }
  const { approval, reason, rule } = zoneOpinion(zone, operation)
  return { approval, text, place: zone.root, tools, reason, source: rule.source }
}

/** Names that a zone lists although they are protected everywhere else. */
function protectedLine(zone: Zone): readonly PreviewLine[] {
  if (zone.protected.length === 0 || zone.mode === 'ro') return []
  const names = zone.protected.join(', ')
  const text = `Change the protected files ${names} in ${placeOf(zone)}`
  const tools = ['write_file', 'edit_file', 'delete_file', 'move_file']
  return [{ approval: 'ask', text, tools, reason: 'always high risk', source: zone.source }]
}

function placeOf({ root }: Zone): string {
  return root === '' ? 'the workspace' : `${root}/`
}

function suffixesOf({ suffixes }: Zone): string {
  return suffixes === null ? '' : ` that end in ${suffixes.join(', ')}`
}
