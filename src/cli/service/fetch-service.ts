import { CommandFailure, exitCodes } from '../terminal/exit-codes.ts'

/**
 * Sends a call to the service at `url`. Rejects with a sentence if nothing answers, or if the
 * answer is a redirect: one that is followed would send the credentials to another address.
 */
export async function fetchService(
  url: string,
  path: string,
  init: RequestInit,
): Promise<Response> {
  const response = await fetch(url + path, { ...init, redirect: 'manual' }).catch(
    (cause: unknown) => {
      throw new CommandFailure(
        `No service answers at ${url}. Is it running? countersign doctor reports what is wrong.`,
        exitCodes.failed,
        { cause },
      )
    },
  )
  const location = response.headers.get('location')
  if (location === null || response.status < 300 || response.status > 399) return response
  const target = URL.canParse(location, url) ? new URL(location, url).origin : 'another address'
  const sentence = `${url} redirects to ${target}. If you trust that address, name it.`
  throw new CommandFailure(sentence, exitCodes.failed)
}
