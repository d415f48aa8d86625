/**
 * The position of a reader in a run's stream. It is the whole state of the reader: each event's id
 * is its cursor, so that any process can continue from `Last-Event-ID`.
 */
export interface StreamCursor {
  readonly turn: number
  readonly stage: StreamStage
  /** the attempt whose text was begun; 0: none */
  readonly attempt: number
  /** how many UTF-16 units of that text were sent */
  readonly offset: number
  /** a mark for each call of the turn, in order (see `callMark`) */
  readonly calls: string
  /** the positions in the output of the turn's running calls */
  readonly outputs: readonly OutputPosition[]
}

/** The position in the output of one attempt at a call. */
export interface OutputPosition {
  /** index of the call in its turn, from 0 */
  readonly call: number
  readonly attempt: number
  /** bytes */
  readonly stdout: number
  readonly stderr: number
  /** the event that the attempt is lost was sent */
  readonly lost: boolean
}

/**
 * `opened`: the message has begun; `step`: the turn has begun; `text`: its text has begun; `calls`:
 * its text is complete; `stepped`: the turn is complete; `finished`: the message is complete;
 * `done`: the stream has ended. `new`: nothing was sent.
 */
const letters = {
  new: 'n',
  opened: 'o',
  step: 's',
  text: 't',
  calls: 'c',
  stepped: 'e',
  finished: 'f',
  done: 'd',
} as const
export type StreamStage = keyof typeof letters

/** The position at the beginning of a message, with its first turn. */
export function beginAt(turn: number): StreamCursor {
  return { turn, stage: 'new', attempt: 0, offset: 0, calls: '', outputs: [] }
}

/**
 * What was sent of a call: `-` nothing; `0` its input; `1` and so on how many of its requests as
 * well; `z` its result.
 */
export function callMark(requests: number): string {
  return Math.min(requests, maxSentRequests).toString(36)
}

/** More requests of one call than these are not sent. */
export const maxSentRequests = 30

/** The number of requests of a mark other than `-` and `z`. */
export function sentRequestCount(mark: string): number {
  return Number.parseInt(mark, 36)
}

/** The id of an event. */
export function cursorId({ turn, stage, attempt, offset, calls, outputs }: StreamCursor): string {
  const positions = outputs.map(
    ({ call, attempt: of, lost, stderr, stdout }) =>
      `${call}-${of}-${stdout}-${stderr}${lost ? 'x' : ''}`,
  )
  const place = `${turn}.${letters[stage]}.${attempt}.${offset}`
  return [
    place,
    ...(calls === '' ? [] : [calls]),
    ...(positions.length === 0 ? [] : [positions.join('_')]),
  ].join('.')
}

const idForm =
  /^(\d{1,9})\.([a-z])\.(\d{1,9})\.(\d{1,9})(?:\.([-0-9a-z]{1,1000}))?(?:\.([-0-9x_]{1,6000}))?$/
const outputForm = /^(\d{1,4})-(\d{1,9})-(\d{1,12})-(\d{1,12})(x?)$/

/** Parses an event's id; `null` when it is not one. */
export function parseCursor(id: string): StreamCursor | null {
  const match = idForm.exec(id)
  if (match === null) return null
  const [, turn, letter, attempt, offset, calls = '', positions] = match
  const outputs = positions === undefined ? [] : positions.split('_').map(parseOutput)
  const stages = Object.keys(letters) as StreamStage[]
  const stage = stages.find((one) => letters[one] === letter)
  if (stage === undefined || stage === 'new' || Number(turn) < 0) return null
  if (!outputs.every((output) => output !== null)) return null
  const place = { turn: Number(turn), stage, attempt: Number(attempt), offset: Number(offset) }
  return { ...place, calls, outputs }
}

function parseOutput(text: string): OutputPosition | null {
  const match = outputForm.exec(text)
  if (match === null) return null
  const [call = 0, attempt = 0, stdout = 0, stderr = 0] = match.slice(1, 5).map(Number)
  return { call, attempt, stdout, stderr, lost: match[5] === 'x' }
}
