import { useEffect } from 'react'
import { useNavigate } from 'react-router'
import { openedPath } from './opened-path.ts'

/**
 * Opens the request of a notification that was clicked while this page was there. On the sign-in
 * page only the address changes, and the request opens after the sign-in.
 */
export function useOpenedNotices(): void {
  const navigate = useNavigate()
  useEffect(() => {
    if (!('serviceWorker' in navigator)) return
    const listen = (event: MessageEvent): void => {
      const path = openedPath(event.data)
      if (path !== null) void navigate(path)
    }
    navigator.serviceWorker.addEventListener('message', listen)
    navigator.serviceWorker.startMessages()
    return () => navigator.serviceWorker.removeEventListener('message', listen)
  }, [navigate])
}
