/**
 * Calls `onChange` when the browser's permission for notifications changes, for example in the
 * settings of the browser. It does so too when the page gets the focus, since some browsers do not
 * report the change. `signal` ends it.
 */
export function watchPermission(onChange: () => void, signal: AbortSignal): void {
  window.addEventListener('focus', onChange, { signal })
  void findPermission().then((permission) =>
    permission?.addEventListener('change', onChange, { signal }),
  )
}

/** The browser's permission for notifications; null in browsers that cannot be asked for it. */
async function findPermission(): Promise<PermissionStatus | null> {
  try {
    return await navigator.permissions.query({ name: 'notifications' })
  } catch {
    return null
  }
}
