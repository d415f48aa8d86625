import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { processEnvironment, readText } from '#runtime/environment.ts'

/**
 * Shows a text in the pager that the person has chosen, or `less`, and resolves after they have
 * left it. False: there is no such pager.
 */
export async function viewInPager(text: string): Promise<boolean> {
  const environment = processEnvironment()
  const pager = readText(environment, 'PAGER') ?? 'less'
  const child = spawn(pager, {
    shell: true,
    stdio: ['pipe', 'inherit', 'inherit'],
    // Without options, `less` prints the codes of colours instead of colours.
    env: { ...environment, LESS: readText(environment, 'LESS') ?? 'R' },
  })
  // A pager that is left early stops reading.
  child.stdin.on('error', () => undefined)
  child.stdin.end(text)
  // Ctrl-C is the pager's: it reaches this process too, which waits for the pager.
  const ignore = (): void => undefined
  process.on('SIGINT', ignore)
  const code = await once(child, 'close').then(
    ([end]): unknown => end,
    () => 127,
  )
  process.off('SIGINT', ignore)
  return code !== 126 && code !== 127
}
