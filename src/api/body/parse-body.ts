import type { Json } from '#domain/json/json.ts'
import { BusyError, Shares } from '#domain/sharing/shares.ts'
import { runInThread } from '#tools/threads/run-in-thread.ts'
import { JsonProblem, parseStrictJson } from './strict-json.ts'

/** The result of parsing a body: its value, or the sentence of its refusal. */
export type ParsedBody = { readonly value: Json } | { readonly problem: string }

/** A larger body is parsed in a thread, so that nobody else waits: a megabyte takes some 10 ms. */
export const inlineBytes = 256 * 1024
const threadLimitMs = 5000

/** Threads take memory and a core: few at a time, one for each caller. */
const threads = new Shares({ slots: 2, maxPerCaller: 1, maxWaiting: 8, waitMs: 10_000 })

/**
 * `parseStrictJson`, off the event loop when the body is large. Rejects with `JsonProblem`, or with
 * `BusyError` when other large bodies of this caller (or of everybody, for ten seconds) are still
 * being read.
 */
export async function parseBody(bytes: Uint8Array, caller: string): Promise<Json> {
  if (bytes.length <= inlineBytes) return parseStrictJson(bytes)
  const release = await threads.take(caller)
  try {
    const script = new URL('parse-thread.ts', import.meta.url)
    const outcome = await runInThread<ParsedBody>(script, bytes, {
      limitMs: threadLimitMs,
      signal: null,
    })
    if (!outcome.done) throw new BusyError('Reading a large body took too long')
    if ('problem' in outcome.value) throw new JsonProblem(outcome.value.problem)
    return outcome.value.value
  } finally {
    release()
  }
}
