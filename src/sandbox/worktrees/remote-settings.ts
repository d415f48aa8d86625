/**
 * The name of a remote in Git's words: every user of the host may read them, and an address may
 * have a password.
 */
export const remoteName = 'countersign-remote'

/** Settings of Git as variables, which only the same user may read. */
export function settingVariables(
  ...entries: readonly (readonly [key: string, value: string])[]
): Readonly<Record<string, string>> {
  return Object.fromEntries([
    ['GIT_CONFIG_COUNT', String(entries.length)],
    ...entries.flatMap(([key, value], at) => [
      [`GIT_CONFIG_KEY_${at}`, key],
      [`GIT_CONFIG_VALUE_${at}`, value],
    ]),
  ])
}

/** Git runs it in a shell: it prints the variables. */
const helper = `!f() { printf 'username=%s\\npassword=%s\\n' "$COUNTERSIGN_USER" "$COUNTERSIGN_PASSWORD"; }; f`

/**
 * The variables that give `remoteName` its address. Git starts a program for HTTP with the address
 * as a word: name and password are removed, and provided by a credential helper. A name stays in
 * their place, so that the host rewrites the address no further.
 */
export function remoteSettings(address: string): Readonly<Record<string, string>> {
  const [, scheme = '', user = '', password = '', rest = ''] =
    /^(https?:\/\/)([^/:@]*):([^/]*)@(.*)$/is.exec(address) ?? []
  const url = `remote.${remoteName}.url`
  const credentials = 'credential.helper'
  if (scheme === '') return settingVariables([url, address])
  return {
    // An empty helper removes the helpers before it.
    ...settingVariables(
      [url, `${scheme}countersign@${rest}`],
      [credentials, ''],
      [credentials, helper],
    ),
    COUNTERSIGN_USER: decodeText(user),
    COUNTERSIGN_PASSWORD: decodeText(password),
  }
}

function decodeText(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
