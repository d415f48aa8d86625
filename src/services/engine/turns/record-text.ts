import { limits } from '#domain/limits.ts'
import { addLiveText, type TurnAttemptRef } from '#store/content/live-text.ts'
import type { SystemContext } from '../../core/context.ts'

/** Milliseconds between two writes: at most ten a second, whatever a model sends. */
const writeEveryMs = 100

/** Stores the text of a model while the model writes it. */
export interface TextRecorder {
  readonly add: (piece: string) => void
  /** Ends all writing: the message is stored, or the attempt has failed. */
  readonly end: () => void
}

/**
 * Writes the text of an attempt to the store within a tenth of a second, concurrently with the
 * turn, which never waits for it. An answer that is complete sooner writes nothing here. A failed
 * write is repeated with the next one. Text beyond the bound can only be read in the message.
 */
export function recordText(ctx: SystemContext, of: TurnAttemptRef): TextRecorder {
  let openText = ''
  let written = 0
  let [hasEnded, failed, busy] = [false, false, false]
  let timer: NodeJS.Timeout | null = null

  const schedule = (): void => {
    if (hasEnded || busy || timer !== null || openText === '') return
    timer = setTimeout(() => {
      timer = null
      busy = true
      void write().finally(() => {
        busy = false
        schedule()
      })
    }, writeEveryMs)
  }
  const write = async (): Promise<void> => {
    const piece = openText
    openText = ''
    try {
      const isOpen = await addLiveText(ctx.db, of, { start: written, text: piece })
      written += piece.length
      if (!isOpen) hasEnded = true
    } catch (error) {
      openText = piece + openText
      if (!failed)
        ctx.log.warn(
          { runId: of.runId, err: error },
          'Live text could not be written; it is written with the next part',
        )
      failed = true
    }
  }
  return {
    add: (piece) => {
      const room = limits.liveTextCharacters - written - openText.length
      if (hasEnded || room <= 0) return
      openText += piece.slice(0, room)
      schedule()
    },
    end: () => {
      hasEnded = true
      if (timer !== null) clearTimeout(timer)
    },
  }
}
