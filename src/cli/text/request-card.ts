import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { displayedCues } from '#domain/policy/cues.ts'
import { requestStateWord } from '#domain/text/request-state-words.ts'
import { dim, red, yellow } from './colour.ts'
import { printableLine } from './terminal-text.ts'
import { fromNow } from './times.ts'

/** A longer task is cut here; all of it is on the request's page. */
const taskCharacters = 240

/** The task of the run and its author; a program's description is marked as its claim. */
export function taskLine({ task, claimedTask }: RequestDetail): string[] {
  if (task === null) {
    return claimedTask === null ? [] : [`${dim('task, as the program says')}  ${cut(claimedTask)}`]
  }
  const by = task.by === null ? '' : `, ${printableLine(task.by.name)}`
  const later = task.later === 0 ? '' : `, ${task.later} later`
  return [`${dim('task')}  ${cut(task.text)}${dim(`  (${fromNow(task.at)}${by}${later})`)}`]
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

function cut(text: string): string {
  const line = printableLine(text.slice(0, taskCharacters))
  return text.length > taskCharacters ? `${line}…` : line
}
