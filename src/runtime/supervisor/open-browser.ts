import { spawn } from 'node:child_process'
import type { Environment } from '../environment.ts'

/** The command that opens a page here, or `null` when this machine has no desktop. */
export function browserCommand(
  environment: Environment,
  platform: NodeJS.Platform,
  isTerminal: boolean,
): string | null {
  if (!isTerminal || (environment['CI'] ?? '') !== '') return null
  if (platform === 'darwin') return 'open'
  if ((environment['WSL_DISTRO_NAME'] ?? '') !== '') return 'explorer.exe'
  const display = environment['WAYLAND_DISPLAY'] ?? environment['DISPLAY'] ?? ''
  return display === '' ? null : 'xdg-open'
}

/** Opens the page; a failure is ignored, since the link was printed. */
export function openBrowser(command: string, url: string): void {
  const child = spawn(command, [url], { detached: true, stdio: 'ignore' })
  child.on('error', () => undefined)
  child.unref()
}
