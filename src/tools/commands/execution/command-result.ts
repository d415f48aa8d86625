import { limits } from '#domain/limits.ts'
import type { ToolResult } from '#domain/tools/tool-result.ts'
import type { StreamOutput, CommandEnd } from '#sandbox/process/command-end.ts'

/** Bytes for the sentences around the streams. */
const frameBytes = 4 * 1024
/** A longer stream, or one that is not text, is stored as a file; the output has its beginning. */
const inlineBytes = 128 * 1024

/**
 * A command's result (workers-and-policy.md, results): its end and both streams as stored, and for
 * the model at most 64 KiB of them with exact counts. `violations`: what was undone, as sentences.
 * `notes`: more sentences for the model.
 */
export function commandResult(
  end: CommandEnd,
  violations: readonly string[],
  notes: readonly string[] = [],
): ToolResult {
  const { exitCode, stderr, stdout, timedOut } = end
  const violation = violationOf([...violations, ...(end.exceeded === null ? [] : [end.exceeded])])
  const truncated = [stdout, stderr].some(({ total }) => total > inlineBytes)
  const longStreams = Object.entries({ stdout, stderr }).filter(
    ([, { bytes, total }]) => total > inlineBytes || !isText(bytes),
  )
  const room = limits.shownToModelBytes - frameBytes
  const forErrors = Math.min(stderr.bytes.length, Math.max(room / 4, room - stdout.bytes.length))
  const text = [
    ...(violation === null ? [] : [`This command broke a rule: ${violation}`]),
    ...(timedOut ? ['It was ended because its time was over.'] : []),
    ...notes,
    `Exit code ${exitCode}.`,
    ...part('standard output', stdout, room - forErrors),
    ...part('standard error', stderr, forErrors),
  ].join('\n')
  return {
    type: violation === null ? 'output' : 'error',
    output: {
      exitCode,
      stdout: textOf(stdout.bytes.subarray(0, inlineBytes)),
      stderr: textOf(stderr.bytes.subarray(0, inlineBytes)),
      truncated,
      timedOut,
      ...(violation === null ? {} : { violation }),
    },
    text,
    exitCode,
    ...(longStreams.length === 0
      ? {}
      : { streams: Object.fromEntries(longStreams.map(([name, { bytes }]) => [name, bytes])) }),
    ...(violation === null ? {} : { violation }),
  }
}

/** More violations are only counted: a command can create any number of names. */
const maxViolations = 20

/** The violations of a command as one text; `null` for none. */
export function violationOf(sentences: readonly string[]): string | null {
  const more = sentences.length - maxViolations
  const first = sentences.slice(0, maxViolations)
  return sentences.length === 0
    ? null
    : [...first, ...(more > 0 ? [`and ${more} more like these`] : [])].join('; ')
}

/** The beginning and the end of a stream, with the number of omitted bytes between them. */
function part(name: string, { bytes, total }: StreamOutput, maxBytes: number): string[] {
  if (total === 0) return []
  const head = `--- ${name}, ${total} bytes ---`
  if (total === bytes.length && Buffer.byteLength(textOf(bytes)) <= maxBytes) {
    return [head, textOf(bytes)]
  }
  const half = Math.max(0, Math.floor(maxBytes / 2))
  const first = bytes.subarray(
    0,
    fitLength(half, (length) => bytes.subarray(0, length)),
  )
  const rest = bytes.subarray(first.length)
  const last = rest.subarray(rest.length - fitLength(half, (length) => rest.subarray(-length)))
  const omittedBytes = total - first.length - last.length
  return [head, textOf(first), `[${omittedBytes} of ${total} bytes are not shown.]`, textOf(last)]
}

/** How many bytes fit into `maxBytes` of text: an invalid byte takes three. */
function fitLength(maxBytes: number, take: (length: number) => Uint8Array): number {
  if (maxBytes === 0) return 0
  const part = take(maxBytes)
  return Buffer.byteLength(textOf(part)) <= maxBytes
    ? part.length
    : Math.min(part.length, Math.floor(maxBytes / 3))
}

/** Whether these bytes are valid text. */
function isText(bytes: Uint8Array): boolean {
  return Buffer.from(textOf(bytes)).equals(bytes)
}

/** Invalid bytes are marked; U+0000 cannot be stored in text. */
function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8').replaceAll('\0', '\uFFFD')
}
