import { announce } from '../../states/announce.tsx'
import type { Act } from '../../states/use-act.ts'
import { useAttempt } from '../../states/use-attempt.ts'
import { useReloadComments } from './commented-request.ts'

/** An `Act` that reloads the comments afterwards, and the sentence of a refusal. */
export function useCommentAct(): { act: Act; busy: boolean; refusal: string | null } {
  const reloadComments = useReloadComments()
  const { attempt, busy, refusal } = useAttempt()
  const act: Act = (work, message) =>
    attempt(async () => {
      await work()
      if (message !== undefined) announce(message)
      await reloadComments()
    })
  return { act, busy, refusal }
}
