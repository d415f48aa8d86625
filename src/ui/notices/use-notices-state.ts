import { useEffect, useState } from 'react'
import { watchPermission } from './watch-permission.ts'
import type { NoticesState } from './notices-setting.ts'

/**
 * The state that `read` returns, and a function that replaces it. It is read again when the
 * browser's permission for notifications may have changed. `read` must be the same function in each
 * render.
 */
export function useNoticesState(
  read: () => NoticesState,
): [state: NoticesState, replace: (state: NoticesState) => void] {
  const [state, setState] = useState(read)
  useEffect(() => {
    const end = new AbortController()
    watchPermission(() => setState(read()), end.signal)
    return () => end.abort()
  }, [read])
  return [state, setState]
}
