import { setTimeout as delay } from 'node:timers/promises'
import type { Service } from '../service/service.ts'
import { CommandFailure } from '../terminal/exit-codes.ts'
import type { Keyboard } from '../terminal/keyboard.ts'
import type { KeySource } from './ask-by-key.ts'

const lookEveryMs = 1_000

/** Reads keys for one request while it is pending. Keys that were typed before are ignored. */
export function keysOf(service: Service, keyboard: Keyboard, requestId: string): KeySource {
  return {
    aside: (act) => keyboard.aside(act),
    key: async () => {
      keyboard.take()
      for (;;) {
        await Promise.race([keyboard.pressed(), delay(lookEveryMs)])
        const [key] = keyboard.take()
        if (key !== undefined) return key.ctrl ? `ctrl-${key.name}` : key.text
        const of = { params: { id: requestId } }
        const request = await service.call('getRequest', of).catch(away)
        if (request !== null && request.state !== 'pending') return null
      }
    },
  }
}

/** While the service is away, the last known state counts. */
export function away(error: unknown): null {
  if (error instanceof CommandFailure) return null
  throw error
}
