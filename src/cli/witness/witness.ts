import { parseAddCheckpoint } from '#evidence/note/add-checkpoint.ts'
import type { Checkpoint } from '#evidence/note/checkpoint.ts'
import type { LogKeys } from '#evidence/note/log-keys.ts'
import {
  judgeSubmission,
  openSubmission,
  type SubmissionAnswer,
} from '#evidence/note/judge-submission.ts'
import { MalformedEvidence } from '#evidence/malformed-evidence.ts'
import { forgetSameDay, keepContradiction, keepNote, type WitnessFolder } from './witness-folder.ts'

/**
 * Answers submissions of one log (C2SP tlog-witness), one after the other. Each is judged by the
 * last checkpoint on the disk, and a cosignature is returned only once the disk has its checkpoint.
 * After a failure of the disk it cosigns nothing more; a new start reads the disk again.
 */
export class Witness {
  readonly #folder: WitnessFolder
  readonly #log: LogKeys
  /** gets a sentence for the operator: the log has two histories */
  readonly #alarm: (sentence: string) => void
  #last: Checkpoint | null
  #turn: Promise<unknown> = Promise.resolve()

  constructor(
    folder: WitnessFolder,
    options: { readonly log: LogKeys; readonly alarm: (sentence: string) => void },
  ) {
    this.#folder = folder
    this.#log = options.log
    this.#alarm = options.alarm
    this.#last = folder.last
  }

  /**
   * Rejects if the disk has failed. Only a submission that the log signed waits for earlier ones.
   */
  async answer(body: string): Promise<SubmissionAnswer> {
    let submission
    try {
      submission = parseAddCheckpoint(body)
    } catch (error) {
      if (error instanceof MalformedEvidence) return { status: 400, sentence: error.message }
      throw error
    }
    const contents = openSubmission(submission, this.#log)
    if (!('checkpoint' in contents)) return contents
    const { note } = submission
    const turn = this.#turn.then(async () => {
      const answer = judgeSubmission(submission, {
        log: this.#log,
        last: this.#last,
        signer: this.#folder.signer,
        atSeconds: Math.floor(Date.now() / 1000),
      })
      if (answer.status === 200) await this.#store(answer)
      else if (answer.status === 422 || (answer.status === 409 && answer.isForked)) {
        await this.#reportContradiction(contents.checkpoint, note)
      }
      return answer
    })
    // After a rejection every later submission rejects with the same error.
    this.#turn = turn
    turn.catch(() => undefined)
    return turn
  }

  async #store({ note, checkpoint }: Extract<SubmissionAnswer, { status: 200 }>): Promise<void> {
    const { path, lock } = this.#folder
    const before = this.#last
    await lock.check()
    // The same checkpoint again: its note is stored.
    if (before?.size === checkpoint.size) return
    await keepNote(path, checkpoint.size, note)
    this.#last = checkpoint
    if (before !== null) await forgetSameDay(path, before.size, checkpoint.size)
  }

  /**
   * Stores a contradiction and alarms the operator, once for each size, because anybody can repeat
   * a checkpoint that the log once signed.
   */
  async #reportContradiction({ size }: Checkpoint, note: string): Promise<void> {
    const contradiction = await keepContradiction(this.#folder.path, size, note)
    if (contradiction === null || !contradiction.isNew) return
    this.#alarm(
      `The log signed a checkpoint of ${size} events without a proof that it continues the last one: it is stored in ${contradiction.file}`,
    )
  }
}
