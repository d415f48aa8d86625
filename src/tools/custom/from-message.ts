import { isObject } from '#domain/json/is-object.ts'
import type { FromMessage, ProcessLoad } from './tool-protocol.ts'

/** Reads a line of a tool process, which a tool may have written. Throws when it is no message. */
export function readFromMessage(line: string): FromMessage {
  const message: unknown = JSON.parse(line)
  if (!isFromMessage(message)) throw new TypeError('it sent a value that is not a message')
  return message
}

function isFromMessage(message: unknown): message is FromMessage {
  if (!isObject(message)) return false
  if ('loading' in message) return typeof message['loading'] === 'string'
  if ('accepted' in message) return typeof message['accepted'] === 'number'
  if ('ended' in message) return true
  const { id, left, ok, problem } = message
  return (
    typeof id === 'number' &&
    isLoad(left) &&
    (ok === true || (ok === false && typeof problem === 'string'))
  )
}

function isLoad(left: unknown): left is ProcessLoad {
  return (
    isObject(left) &&
    typeof left['memoryBytes'] === 'number' &&
    typeof left['resources'] === 'number'
  )
}
