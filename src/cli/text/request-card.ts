import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { displayedCues } from '#domain/policy/cues.ts'
import { beginningOf } from '#domain/text/quantities/cut-text.ts'
import { requestStateWord } from '#domain/text/request-state-words.ts'
import { dim, red, yellow } from './colour.ts'
import { quoteLines } from './quote-lines.ts'
import { printableLine } from './terminal-text.ts'
import { fromNow } from './times.ts'

/** Of a longer task the card shows the beginning, and how to see all of it. */
const taskCharacters = 240

/**
 * The task of the run and its author; a program's description is marked as its claim. What is left
 * out of a long one is counted on a line of its own, so that no screen cuts the count off.
 */
export function taskLines(request: RequestDetail, seeAll: string): string[] {
  const { task } = request
  const text = taskText(request)
  if (text === null) return []
  const { beginning, rest } = beginningOf(text, taskCharacters)
  const label = task === null ? 'task, as the program says' : 'task'
  return [
    `${dim(label)}  ${printableLine(beginning)}${task === null ? '' : taskFacts(task)}`,
    ...(rest === 0
      ? []
      : [yellow(`… ${rest.toLocaleString('en')} more characters of the task; ${seeAll}`)]),
  ]
}

/** Every line of a task that `taskLines` cuts; empty for any other. */
export function wholeTaskLines(request: RequestDetail, columns: number | null): string[] {
  const text = taskText(request)
  if (text === null || beginningOf(text, taskCharacters).rest === 0) return []
  return ['', dim('the whole task:'), ...quoteLines(text, { columns, diff: false })]
}

function taskText({ task, claimedTask }: RequestDetail): string | null {
  return task === null ? claimedTask : task.text
}

function taskFacts({ at, by, later }: NonNullable<RequestDetail['task']>): string {
  const author = by === null ? '' : `, ${printableLine(by.name)}`
  return dim(`  (${fromNow(at)}${author}${later === 0 ? '' : `, ${later} later`})`)
}

/** The state of a request in a word; one that waits has the word of the option `--state`. */
export function stateWord(request: Pick<RequestDetail, 'kind' | 'state'>): string {
  return request.state === 'pending' ? request.state : requestStateWord(request)
}

/** The cues, warnings first. */
export function cueLines({ cues }: RequestDetail): string[] {
  const visible = displayedCues(cues)
  const warnings = visible.filter(({ level }) => level === 'warning')
  const notices = visible.filter(({ level }) => level === 'notice')
  const text = ({ text: words, line }: RequestDetail['cues'][number]): string =>
    `${printableLine(words)}${line === undefined ? '' : ` (line ${line})`}`
  return [
    ...warnings.map((cue) => red(`! ${text(cue)}`)),
    ...notices.map((cue) => yellow(`· ${text(cue)}`)),
  ]
}

/** The reasons for queue, risk and quorum if they are not the defaults. */
export function routingLines({ routing }: RequestDetail): string[] {
  return Object.entries(routing).flatMap(([name, { value, text, source }]) => {
    if (text === 'default') return []
    const where = source === null ? '' : dim(` (${printableLine(source)})`)
    return [`${dim(`why ${name}`)}  ${printableLine(`${value}: ${text}`)}${where}`]
  })
}
