import { useMediaQuery } from '@mantine/hooks'

/** Up to this width, lists and filters are folded. */
export const phoneUntil = '(max-width: 48em)'

/** Whether a media query matches, from the first layout on, so that nothing moves afterwards. */
export function useMedia(query: string): boolean {
  return useMediaQuery(query, undefined, { getInitialValueInEffect: false }) ?? false
}
