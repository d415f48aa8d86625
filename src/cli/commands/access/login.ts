import type { Readable } from 'node:stream'
import { text } from '@clack/prompts'
import type { Command } from 'commander'
import { processEnvironment } from '#runtime/environment.ts'
import { CommandFailure, exitCodes } from '../../terminal/exit-codes.ts'
import { isInteractive } from '../../terminal/interactive.ts'
import { promptNow } from '../../terminal/prompt-now.ts'
import { loginSessionsFile, saveSession } from '../../service/saved-sessions.ts'
import { startSession, withSession } from '../../service/sign-in.ts'
import { printableLine } from '../../text/terminal-text.ts'
import { withExamples } from '../examples.ts'
import { withFolders } from '../../service/service-options.ts'

/** `countersign login URL`: a session for this terminal, from a one-time link. */
export function addLoginCommand(program: Command): void {
  const command = withFolders(program.command('login'))
    .description('sign this terminal in with a one-time link')
    .argument('<url>', 'the one-time link, or the address of the service')
    .action(async (linkOrAddress: string) => {
      const link = new URL(await linkFrom(linkOrAddress))
      const behind = new URLSearchParams(link.hash.slice(1))
      const token = behind.get('link') ?? behind.get('mailed')
      if (token === null)
        throw new CommandFailure(
          `${linkOrAddress} is not a sign-in link, which ends in #link=… or #mailed=…`,
          exitCodes.usage,
        )
      const session = await startSession(link.origin, { link: token })
      await saveSession(loginSessionsFile(processEnvironment()), link.origin, session)
      // Somebody else may have sent the link.
      const { person } = await withSession(link.origin, session).call('getMe')
      console.log(`Signed in at ${link.origin} as ${printableLine(person.name)}.`)
    })
  withExamples(command, [
    'login "https://approvals.example.com/sign-in#link=…"',
    'login https://approvals.example.com',
  ])
}

async function linkFrom(linkOrAddress: string): Promise<string> {
  if (!URL.canParse(linkOrAddress))
    throw new CommandFailure(
      `${linkOrAddress} is not an address, such as https://approvals.example.com`,
      exitCodes.usage,
    )
  if (/#(link|mailed)=/.test(linkOrAddress)) return linkOrAddress
  if (!isInteractive()) {
    throw new CommandFailure(
      `Give the one-time link itself: sign in at ${new URL(linkOrAddress).origin}/account and choose "Sign in another device", or on the machine of the service: countersign people link EMAIL`,
      exitCodes.usage,
    )
  }
  const nobody = 'Nobody signed in.'
  const ask = (input: Readable) =>
    text({
      input,
      message: `Paste a one-time link (from ${new URL(linkOrAddress).origin}/account, "Sign in another device", or from: countersign people link EMAIL)`,
      validate: (value) =>
        value !== undefined && URL.canParse(value) ? undefined : 'This is not a link',
    })
  const link = await promptNow(nobody, ask)
  if (typeof link !== 'string') throw new CommandFailure(nobody)
  return link.trim()
}
