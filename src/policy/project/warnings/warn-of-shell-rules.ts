import type { ShellPolicy, ShellRule, Zone } from '../../worker-definition.ts'
import { isReadBlocked } from '../../worker/read-blocked.ts'
import { placeOfSource, type Report } from '../../reading/report.ts'
import { exactProgram, programNamed } from '../../shell/programs/registry.ts'
import { hiddenZones } from '../../shell/rules/command-zones.ts'
import { programName } from '../../shell/spelling/spelling.ts'
import { oddPattern } from '../config/read-when.ts'

/** Warns of shell rules that never apply, or that allow more or less than they seem to. */
export function warnOfShellRules(report: Report, shell: ShellPolicy, zones: readonly Zone[]): void {
  for (const [index, rule] of shell.rules.entries()) {
    const place = placeOfSource(rule.consent.source)
    const words = rule.pattern.join(' ')
    const earlier = shell.rules.slice(0, index).find((one) => alwaysFirst(one, rule))
    if (earlier !== undefined) {
      const problem = `rule "${words}" decides no plain command: rule "${earlier.pattern.join(' ')}" comes first and matches all it does`
      report.warn(place, problem, 'put the more particular rule first')
    }
    const why = oddPattern(rule.pattern)
    if (why !== null) {
      const problem = `rule "${words}" never matches a plain command: ${why}`
      report.warn(place, problem, 'write the words of one command, as they stand in its arguments')
    }
    const neverReason = programNamed(programName(rule.pattern[0] ?? ''))?.neverReason
    if (rule.consent.approval === 'preApproved' && neverReason !== undefined) {
      const problem = `rule "${words}" pre-approves nothing: ${rule.pattern[0]} ${neverReason}`
      report.warn(place, problem, 'write `approval: ask`')
    }
    if (rule.consent.approval === 'preApproved' && neverReason === undefined) {
      const breadth = breadthOf(rule)
      if (breadth !== null) report.warn(place, breadth.problem, breadth.remedy)
      const blocked = zones.filter(isReadBlocked).find(({ name }) => rule.zones?.includes(name))
      if (blocked !== undefined) {
        const problem = `rule "${words}" names the zone ${blocked.name}, whose reads are blocked: no command sees it`
        report.warn(place, problem, 'leave it out of "zones"')
      }
      if (neverSees(rule, zones)) {
        const problem = `rule "${words}" never runs a command alone: the reads of every zone ask or are blocked, and the rule names none that asks`
        report.warn(
          place,
          problem,
          'name the zones that it may see in "zones", or write `approval: ask`',
        )
      }
    }
    const word = rule.unlessArgs.find((argument) => !argument.startsWith('-'))
    if (word !== undefined) {
      const problem = `rule "${words}": "${word}" in "unlessArgs" is not a flag`
      report.warn(place, problem, `write it with its dash, like "-${word}"`)
    }
  }
}

/**
 * Warns of a rule that allows more commands than its words say, or only exactly these words where
 * more usually follow.
 */
function breadthOf({ pattern }: ShellRule): { problem: string; remedy: string } | null {
  const words = pattern.join(' ')
  const name = programName(pattern[0] ?? '')
  const program = exactProgram(name)
  const operands = pattern.slice(1).filter((word) => !word.startsWith('-'))
  if (program?.subcommands !== undefined && operands.length === 0) {
    const changing = Object.entries(program.subcommands)
      .filter(([, subcommand]) => subcommand.writes === true)
      .map(([subcommand]) => `${name} ${subcommand}`)
    if (changing.length === 0) return null
    const problem = `rule "${words}" also allows ${changing.slice(0, 3).join(', ')} and ${changing.length - 3} more commands that change files`
    return { problem, remedy: `name the commands, like "${name} status", with a rule for each` }
  }
  const isExact = program === undefined ? operands.length === 0 : program.allowsMore === true
  if (!isExact) return null
  const what = program === undefined ? 'is not a program that is known here' : 'may run anything'
  const problem = `rule "${words}" allows exactly "${words}" and nothing behind it: ${name} ${what}, so each operand has to be spelled out`
  return {
    problem,
    remedy: 'spell out the operands, with a rule for each, or write `approval: ask`',
  }
}

/** Whether the rule's commands have no folder to run in, since every zone is hidden. */
function neverSees(rule: ShellRule, zones: readonly Zone[]): boolean {
  return (
    zones.length > 0 &&
    hiddenZones(zones, [{ visibleZones: rule.zones ?? [] }]).length === zones.length
  )
}

/** Whether a rule always applies before a later one: no zone or argument excludes it. */
function alwaysFirst(one: ShellRule, later: ShellRule): boolean {
  if (one.zones !== null || one.unlessArgs.length > 0) return false
  return one.pattern.every((token, index) => later.pattern[index] === token)
}
