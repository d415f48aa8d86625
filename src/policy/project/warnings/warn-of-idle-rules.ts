import type { ShellPolicy, ShellRule, ToolSetting, WorkerDefinition, Zone } from '../../policy.ts'
import { placeOfSource, type Report } from '../../reading/report.ts'
import { programNamed } from '../../shell/programs/registry.ts'
import { programName } from '../../shell/spelling/spelling.ts'
import { oddPattern } from '../config/odd-pattern.ts'
import { createWorkerName, fileToolNames } from '../../worker/built-in-tool-names.ts'

/** Points out what a worker's file says that can never count, or that says two things at once. */
export function warnOfIdleRules(report: Report, worker: WorkerDefinition): void {
  warnOfZones(report, worker.zones)
  warnOfTools(report, worker)
  if (worker.workers.includes(worker.name)) {
    const problem = `worker "${worker.name}" may call itself, which is refused: a worker is not called in a circle`
    report.warn(
      { file: `workers/${worker.name}.md`, line: null },
      problem,
      'remove it from "workers"',
    )
  }
  if (worker.instructions === '') {
    const problem = `worker "${worker.name}" has no instructions`
    const remedy = 'say below the front matter what it is to do'
    report.warn({ file: `workers/${worker.name}.md`, line: null }, problem, remedy)
  }
  if (worker.shell === null) return
  warnOfShell(report, worker.shell)
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
  return (['read', 'write', 'delete', 'share'] as const).some(
    (operation) => one.approval[operation]?.approval !== other.approval[operation]?.approval,
  )
}

/** A word on a built-in tool that the worker does not have. */
function warnOfTools(report: Report, worker: WorkerDefinition): void {
  const lacks = (name: string): string | null => {
    if (fileToolNames.includes(name)) return worker.zones.length > 0 ? null : 'zones'
    if (name === 'exec' || name === 'shell') return worker.shell === null ? 'shell' : null
    if (name === 'call_worker') return worker.workers.length > 0 ? null : 'workers'
    return null
  }
  for (const [name, setting] of worker.tools) {
    const contradiction = contradictionIn(name, setting)
    if (contradiction !== null) {
      const problem = `worker "${worker.name}": ${contradiction.problem}`
      report.warn(placeOfSource(setting.source), problem, contradiction.remedy)
    }
    const needed = lacks(name)
    if (needed === null) continue
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
  if (name === createWorkerName || name === 'ask_person') {
    return { problem: `"${name}" asks always`, remedy: 'remove the approval' }
  }
  const decides = fileToolNames.includes(name) ? 'zones' : 'rules'
  if (decides === 'rules' && name !== 'exec' && name !== 'shell') return null
  const problem = `"${name}" is pre-approved by its ${decides} alone, never by "tools"`
  return { problem, remedy: `say so in the ${decides}` }
}

function warnOfShell(report: Report, shell: ShellPolicy): void {
  for (const [index, rule] of shell.rules.entries()) {
    const place = placeOfSource(rule.consent.source)
    const shown = rule.pattern.join(' ')
    const earlier = shell.rules.slice(0, index).find((one) => alwaysFirst(one, rule))
    if (earlier !== undefined) {
      const problem = `rule "${shown}" decides no plain command: rule "${earlier.pattern.join(' ')}" comes first and matches all it does`
      report.warn(place, problem, 'put the more particular rule first')
    }
    const why = oddPattern(rule.pattern)
    if (why !== null) {
      const problem = `rule "${shown}" never matches a plain command: ${why}`
      report.warn(place, problem, 'write the words of one command, as they stand in its arguments')
    }
    const never = programNamed(programName(rule.pattern[0] ?? ''))?.never
    if (rule.consent.approval === 'preApproved' && never !== undefined) {
      const problem = `rule "${shown}" pre-approves nothing: ${rule.pattern[0]} ${never}`
      report.warn(place, problem, 'write `approval: ask`')
    }
    const word = rule.unlessArgs.find((argument) => !argument.startsWith('-'))
    if (word !== undefined) {
      const problem = `rule "${shown}": "${word}" in "unlessArgs" is not a flag`
      report.warn(place, problem, `write it with its dash, like "-${word}"`)
    }
  }
}

/** A rule that a zone or an argument can keep from applying leaves something for those behind it. */
function alwaysFirst(one: ShellRule, later: ShellRule): boolean {
  if (one.zones !== null || one.unlessArgs.length > 0) return false
  return one.pattern.every((token, index) => later.pattern[index] === token)
}
