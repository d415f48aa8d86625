import { useMediaQuery } from '@mantine/hooks'

/** Whether a media query holds, from the first layout on: nothing moves after it. */
export function useMedia(query: string): boolean {
  return useMediaQuery(query, undefined, { getInitialValueInEffect: false }) ?? false
}
