import { operations } from '#domain/tools/access.ts'
import { builtInTool, builtInTools, isBuiltInTool } from '#domain/tools/built-in-tools.ts'
import type { ToolSetting, WorkerDefinition, Zone } from '../../worker-definition.ts'
import { placeOfSource, type Report } from '../../reading/report.ts'
import { placeOfKey } from '../../worker/place-of-key.ts'
import { hasBuiltIn } from '../../worker/built-in-tools-of.ts'
import { warnOfShellRules } from './warn-of-shell-rules.ts'

/** Warns of entries in a worker file that can never apply, or that contradict each other. */
export function warnOfIdleRules(report: Report, worker: WorkerDefinition): void {
  warnOfZones(report, worker.zones)
  warnOfTools(report, worker)
  if (worker.workers.includes(worker.name)) {
    const problem = `worker "${worker.name}" may call itself, which is refused: a worker is not called in a circle`
    report.warn(placeOfKey(worker, 'workers'), problem, 'remove it from "workers"')
  }
  if (worker.instructions === '') {
    const problem = `worker "${worker.name}" has no instructions`
    const remedy = 'say below the front matter what it is to do'
    report.warn({ file: `workers/${worker.name}.md`, line: null }, problem, remedy)
  }
  if (worker.shell === null) return
  warnOfShellRules(report, worker.shell, worker.zones)
  if (worker.zones.length > 0) return
  const problem = `worker "${worker.name}" has shell rules, but no zone in which a command could run`
  report.warn(placeOfSource(worker.shell.source), problem, 'give it a zone')
}

function warnOfZones(report: Report, zones: readonly Zone[]): void {
  for (const [index, zone] of zones.entries()) {
    const place = placeOfSource(zone.source)
    const twin = zones.slice(0, index).find((other) => other.root === zone.root)
    if (twin !== undefined && contradicts(twin, zone)) {
      const problem = `zones "${twin.name}" and "${zone.name}" have the same root and say different things: the stricter decides`
      report.warn(place, problem, 'make one zone of them, or give each a root of its own')
    }
    if (zone.mode === 'ro' && zone.protected.length > 0) {
      const problem = `zone "${zone.name}" is read-only, so its "protected" never counts`
      report.warn(place, problem, 'write `mode: rw`, or remove "protected"')
    }
  }
}

function contradicts(one: Zone, other: Zone): boolean {
  if (one.mode !== other.mode) return true
  return operations.some(
    (operation) => one.approval[operation]?.approval !== other.approval[operation]?.approval,
  )
}

/** Warns of an approval for a built-in tool that the worker does not have. */
function warnOfTools(report: Report, worker: WorkerDefinition): void {
  for (const [name, setting] of worker.tools) {
    const contradiction = contradictionIn(name, setting)
    if (contradiction !== null) {
      const problem = `worker "${worker.name}": ${contradiction.problem}`
      report.warn(placeOfSource(setting.source), problem, contradiction.remedy)
    }
    if (!isBuiltInTool(name) || hasBuiltIn(worker, name)) continue
    const needed = builtInTools[name].givenBy
    const problem = `worker "${worker.name}" does not have the tool "${name}": it needs "${needed}"`
    report.warn(placeOfSource(setting.source), problem, `add "${needed}", or remove the line`)
  }
}

function contradictionIn(
  name: string,
  { consent, manual }: ToolSetting,
): { readonly problem: string; readonly remedy: string } | null {
  if (manual && consent?.approval === 'blocked') {
    const problem = `"${name}" is for people to invoke, and blocked for them too`
    return { problem, remedy: 'remove "manual", or the block' }
  }
  if (consent?.approval !== 'preApproved') return null
  const consentSource = builtInTool(name)?.consent ?? 'tools'
  if (consentSource === 'tools' || consentSource === 'nobody') return null
  if (consentSource === 'approval' || consentSource === 'answer') {
    return { problem: `"${name}" asks always`, remedy: 'remove the approval' }
  }
  const decides = consentSource === 'shell' ? 'rules' : consentSource
  const problem = `"${name}" is pre-approved by its ${decides} alone, never by "tools"`
  return { problem, remedy: `say so in the ${decides}` }
}
