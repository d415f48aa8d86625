import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import type { Service } from '../service/service.ts'
import { exitCodes } from '../terminal/exit-codes.ts'
import { Keyboard } from '../terminal/keyboard.ts'
import { askByKey } from './ask-by-key.ts'
import { requestKeys } from './request-keys.ts'
import { sendChoice } from './send-choice.ts'

/**
 * Prints a request, reads a key for it, and sends the decision. `quit`: the person stops here.
 * `left`: nothing was decided, and the terminal says why.
 */
export async function decideByKey(
  service: Service,
  request: RequestDetail,
): Promise<'decided' | 'left' | 'quit'> {
  const { id, number } = request
  // Only while a key is read. At any other time Ctrl-C ends the command.
  const choice = await (async () => {
    using keyboard = new Keyboard(() => process.exit(exitCodes.pending))
    return await askByKey(service, request, requestKeys(service, keyboard, id))
  })()
  if (choice === 'detach') return 'quit'
  if (typeof choice === 'string') {
    console.log(
      choice === 'gone' ? `#${number} was decided elsewhere.` : `#${number} is not decided.`,
    )
    return 'left'
  }
  return (await sendChoice(service, request, choice)) ? 'decided' : 'left'
}
