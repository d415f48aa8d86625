import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { displayedCues } from '#domain/policy/cues.ts'
import { cutText } from '#domain/text/quantities/cut-text.ts'
import { requestStateWord } from '#domain/text/request-state-words.ts'
import { dim, red, yellow } from './colour.ts'
import { printableLine } from './terminal-text.ts'
import { fromNow } from './times.ts'

/** Of a longer task the terminal shows the beginning, and how to see all of it. */
const taskCharacters = 240

/**
 * The task of the run and its author; a program's description is marked as its claim. `seeAll`: how
 * to see all of a long one; `null`: all of it is shown.
 */
export function taskLine({ task, claimedTask }: RequestDetail, seeAll: string | null): string[] {
  if (task === null) {
    if (claimedTask === null) return []
    return [`${dim('task, as the program says')}  ${cut(claimedTask, seeAll)}`]
  }
  const by = task.by === null ? '' : `, ${printableLine(task.by.name)}`
  const later = task.later === 0 ? '' : `, ${task.later} later`
  return [`${dim('task')}  ${cut(task.text, seeAll)}${dim(`  (${fromNow(task.at)}${by}${later})`)}`]
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

function cut(text: string, seeAll: string | null): string {
  if (seeAll === null) return printableLine(text)
  const words = cutText(text, taskCharacters)
  return words === text ? printableLine(text) : printableLine(`${words}; ${seeAll}`)
}
