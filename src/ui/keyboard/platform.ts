/** The kind of keyboard. On Apple's, Cmd is used in place of Ctrl. */
export type KeyboardPlatform = 'apple' | 'other'

/** The keyboard behind a value of `navigator.platform`. Pure. */
export function platformOf(name: string): KeyboardPlatform {
  return /^(Mac|iPhone|iPad|iPod)/.test(name) ? 'apple' : 'other'
}

/** The keyboard of this browser. `navigator.platform` is deprecated, but every browser has it. */
export const platform: KeyboardPlatform = platformOf(navigator.platform)
