import { parentPort, workerData } from 'node:worker_threads'
import { JsonProblem, parseStrictJson } from './strict-json.ts'
import type { ParsedBody } from './parse-body.ts'

parentPort?.postMessage('loaded')
parentPort?.postMessage(parseBytes(workerData as Uint8Array))

function parseBytes(bytes: Uint8Array): ParsedBody {
  try {
    return { value: parseStrictJson(bytes) }
  } catch (error) {
    if (error instanceof JsonProblem) return { problem: error.message }
    throw error
  }
}
