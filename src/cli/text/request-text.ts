import type { RequestDetail } from '../../api/schemas/requests.ts'
import { bold, cyan, dim, green, red, yellow } from './colour.ts'
import { printable, printableLine } from './terminal-text.ts'
import { fromNow } from './times.ts'

/** Lines of a presentation that fit a screen; the rest is one `--full` away. */
const shortLines = 60

/** Whether what is shown is all of it, with nothing left out. */
export interface RequestText {
  readonly text: string
  readonly whole: boolean
}

/** A request as a page of text: who asks, why, what will happen, and only then what the agent says. */
export function requestText(
  request: RequestDetail,
  options: { readonly full: boolean },
): RequestText {
  const { presentation } = request
  const content = presentationLines(request)
  const shown = options.full ? content : content.slice(0, shortLines)
  const hidden = content.length - shown.length
  const asker = request.lineage[0]?.startedBy.name ?? 'a program'
  const lines = [
    `${bold(`#${request.number} ${printableLine(request.title)}`)}  ${riskWord(request.risk)}  ${request.state}`,
    `${printableLine(request.worker ?? request.tool)} wants this, asked by ${printableLine(asker)}; queue ${request.queue}, expires ${fromNow(request.expiresAt)}`,
    `${dim('why am I asked')}  ${printableLine(request.rule.text)}${request.rule.source === null ? '' : dim(` (${printableLine(request.rule.source)})`)}`,
    ...presentation.warnings.map((warning) => yellow(`! ${printableLine(warning)}`)),
    '',
    ...shown,
    ...(hidden > 0 ? [yellow(`… ${hidden} more lines; see all with --full`)] : []),
    ...(presentation.truncated
      ? [
          yellow(
            `… shown up to a bound of ${presentation.totalLines} lines; every byte: countersign requests show ${request.number} --full`,
          ),
        ]
      : []),
    '',
    ...(request.agentReason === null
      ? []
      : [`${dim("the agent's claim, not verified:")} ${dim(printable(request.agentReason))}`]),
    `${dim('quorum')}  ${request.quorum.text}${request.decisions.map((decision) => `; ${printableLine(decision.person.name)}: ${decision.decision}`).join('')}`,
    `${dim('revision')} ${request.revision}  ${dim('digest')} ${request.digest}`,
    ...(request.execution.state === 'not_started'
      ? []
      : [`${dim('execution')}  ${executionWords(request)}`]),
    ...(request.eligibility.canDecide || request.eligibility.reason === null
      ? []
      : [yellow(printableLine(request.eligibility.reason))]),
  ]
  return { text: lines.join('\n'), whole: hidden === 0 && !presentation.truncated }
}

function presentationLines(request: RequestDetail): string[] {
  const { type, content } = request.presentation
  const lines = printable(content).split('\n')
  return type === 'diff' ? lines.map(diffLine) : lines
}

function diffLine(line: string): string {
  if (line.startsWith('@@')) return cyan(line)
  if (line.startsWith('+')) return green(line)
  return line.startsWith('-') ? red(line) : line
}

function executionWords(request: RequestDetail): string {
  const { state, reason, exitCode } = request.execution
  return [state, reason, exitCode === undefined ? undefined : `exit code ${exitCode}`]
    .filter((word) => word !== undefined)
    .join(', ')
}

/** Risk by word, and by colour where there is one. */
export function riskWord(risk: 'low' | 'medium' | 'high'): string {
  if (risk === 'high') return red('HIGH RISK')
  return risk === 'medium' ? yellow('medium risk') : dim('low risk')
}
