import { spawn } from 'node:child_process'
import { rename } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { pipeline } from 'node:stream/promises'
import { errorMessage } from '#domain/error-message.ts'
import { temporalCliVersion } from './temporal-version.ts'

const downloadSite = 'https://temporal.download/cli'
/** Given up after this long without a byte. */
const silenceTimeoutMs = 10_000
const reportIntervalMs = 2_000

/**
 * Downloads Temporal's released program to `path`, as its SDKs do: the site names an archive and
 * the file in it. Throws one sentence when nothing arrives for ten seconds, or it is not an
 * archive.
 */
export async function downloadTemporal(
  path: string,
  log: (sentence: string) => void,
): Promise<void> {
  const silence = new AbortController()
  let timer = setTimeout(() => silence.abort(), silenceTimeoutMs)
  const restartTimeout = () => {
    clearTimeout(timer)
    timer = setTimeout(() => silence.abort(), silenceTimeoutMs)
  }
  try {
    const { archiveUrl, fileToExtract } = await askForArchive(silence.signal)
    restartTimeout()
    const response = await fetch(archiveUrl, { signal: silence.signal })
    if (!response.ok || response.body === null)
      throw new Error(`${archiveUrl} answered ${response.status}`)
    const total = Number(response.headers.get('content-length') ?? 0)
    const source = Readable.fromWeb(response.body as ReadableStream<Uint8Array>)
    const stopReporting = reportProgress(source, total, restartTimeout, log)
    await extract(source, dirname(path), fileToExtract).finally(stopReporting)
    await rename(join(dirname(path), basename(fileToExtract)), path)
  } catch (cause) {
    const why = silence.signal.aborted
      ? `no byte came for ${silenceTimeoutMs / 1000} s`
      : reasonOf(cause)
    throw new Error(`Temporal could not be downloaded (${why})`, { cause })
  } finally {
    clearTimeout(timer)
  }
}

async function askForArchive(
  signal: AbortSignal,
): Promise<{ archiveUrl: string; fileToExtract: string }> {
  const query = new URLSearchParams({
    arch: process.arch === 'x64' ? 'amd64' : process.arch,
    platform: process.platform,
    format: 'tar.gz',
  })
  const response = await fetch(`${downloadSite}/v${temporalCliVersion}?${query.toString()}`, {
    signal,
  })
  if (!response.ok) throw new Error(`${downloadSite} answered ${response.status}`)
  return (await response.json()) as { archiveUrl: string; fileToExtract: string }
}

function reportProgress(
  source: Readable,
  total: number,
  restartTimeout: () => void,
  log: (sentence: string) => void,
): () => void {
  let bytes = 0
  source.on('data', (chunk: Uint8Array) => {
    bytes += chunk.byteLength
    restartTimeout()
  })
  const timer = setInterval(() => {
    const of = total > 0 ? ` of ${megabytes(total)}` : ''
    log(`downloading Temporal: ${megabytes(bytes)}${of}`)
  }, reportIntervalMs)
  return () => clearInterval(timer)
}

async function extract(source: Readable, folder: string, file: string): Promise<void> {
  const tar = spawn('tar', ['-xzf', '-', '-C', folder, file], { stdio: ['pipe', 'ignore', 'pipe'] })
  const end = new Promise<void>((resolve, reject) => {
    tar.once('error', reject)
    tar.once('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`tar ended with code ${code}`)),
    )
  })
  await Promise.all([pipeline(source, tar.stdin), end])
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1_048_576)} MB`
}

function reasonOf(cause: unknown): string {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause
  return errorMessage(inner)
}
