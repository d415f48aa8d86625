import { readFile } from 'node:fs/promises'

/** The last lines of a server's log, for the error that names the file; none when it is empty. */
export async function tailOf(logFile: string): Promise<string> {
  const text = await readFile(logFile, 'utf8').catch(() => '')
  return text.trimEnd().split('\n').slice(-12).join('\n')
}
