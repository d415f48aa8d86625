import { useEffect, useState } from 'react'
import type { NoticesState } from './notices-setting.ts'

/**
 * The state that `read` returns, and a function that replaces it. It is read again when the
 * browser's permission for notifications changes, for example in the settings of the browser, and
 * when the page gets the focus, for browsers that do not report the change. `read` must be the same
 * function in each render.
 */
export function useNoticesState(
  read: () => NoticesState,
): [state: NoticesState, replace: (state: NoticesState) => void] {
  const [state, setState] = useState(read)
  useEffect(() => {
    const update = (): void => setState(read())
    const end = new AbortController()
    const { signal } = end
    window.addEventListener('focus', update, { signal })
    void findPermission().then((permission) =>
      permission?.addEventListener('change', update, { signal }),
    )
    return () => end.abort()
  }, [read])
  return [state, setState]
}

/** The browser's permission for notifications; null in browsers that cannot be asked for it. */
async function findPermission(): Promise<PermissionStatus | null> {
  try {
    return await navigator.permissions.query({ name: 'notifications' })
  } catch {
    return null
  }
}
