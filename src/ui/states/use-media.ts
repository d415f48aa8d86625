import { useMediaQuery } from '@mantine/hooks'

/** Whether a media query matches, from the first layout on, so that nothing moves afterwards. */
export function useMedia(query: string): boolean {
  return useMediaQuery(query, undefined, { getInitialValueInEffect: false }) ?? false
}
