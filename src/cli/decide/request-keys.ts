import { setTimeout as delay } from 'node:timers/promises'
import type { Service } from '../service/service.ts'
import { CommandFailure } from '../terminal/exit-codes.ts'
import { isInterrupt, type Keyboard } from '../terminal/keyboard.ts'
import type { Key } from '../terminal/typed-ahead.ts'
import type { Line } from '../terminal/read-line.ts'
import type { KeySource } from './ask-by-key.ts'

const pollEveryMs = 1_000

/**
 * Reads keys for one request while it is pending. Pasted text is no key. `runLine` carries out a
 * line that begins with `/`.
 */
export function requestKeys(
  service: Service,
  keyboard: Keyboard,
  requestId: string,
  runLine?: (line: Line) => Promise<'left' | 'detach' | null>,
): KeySource {
  let pressedKeys: readonly Key[] = []
  const command = async (): Promise<'left' | 'detach' | null> => {
    const line = await keyboard.line(pressedKeys)
    return line === null || runLine === undefined ? null : runLine(line)
  }
  return {
    ...(runLine === undefined ? {} : { command }),
    aside: (act) => keyboard.aside(act),
    prompt: (act) => keyboard.prompt(act),
    settle: (restMs) => keyboard.settle(restMs),
    key: async () => {
      for (;;) {
        await Promise.race([keyboard.untilPressed(), delay(pollEveryMs)])
        const keys = keyboard.take()
        pressedKeys = keys
        const key = keys.find(isInterrupt) ?? keys[0]
        if (key?.name === 'paste') return ''
        if (key !== undefined) return key.ctrl ? `ctrl-${key.name}` : key.text
        const of = { params: { id: requestId } }
        const request = await service.call('getRequest', of).catch(nullIfUnreachable)
        if (request !== null && request.state !== 'pending') return null
      }
    },
  }
}

/** While the service is away, the last known state counts. */
export function nullIfUnreachable(error: unknown): null {
  if (error instanceof CommandFailure) return null
  throw error
}
