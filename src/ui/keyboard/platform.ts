/** Whose keyboard it is: on Apple's, Cmd stands where others have Ctrl. */
export type KeyboardPlatform = 'apple' | 'other'

/** The keyboard behind a value of `navigator.platform`. Pure. */
export function platformOf(name: string): KeyboardPlatform {
  return /^(Mac|iPhone|iPad|iPod)/.test(name) ? 'apple' : 'other'
}

/** The keyboard of this browser. `navigator.platform` is old, and the one value that all have. */
export const platform: KeyboardPlatform = platformOf(navigator.platform)
