/** Short synthesized sounds for blocks, takeovers, turns and scores. Off by default. */

import { settings } from '$/state/settings.svelte'

export type Sound = 'block' | 'takeover' | 'turn' | 'score'

/** Frequencies in hertz, played in turn, and the duration of each in seconds. */
const MELODIES: Record<Sound, { tones: number[]; duration: number; shape: OscillatorType }> = {
  block: { tones: [180, 110], duration: 0.05, shape: 'triangle' },
  takeover: { tones: [220, 165, 110], duration: 0.07, shape: 'triangle' },
  turn: { tones: [523, 659], duration: 0.12, shape: 'sine' },
  score: { tones: [392, 494, 587, 784], duration: 0.11, shape: 'sine' }
}
const VOLUME = 0.12

let audio: AudioContext | null = null

export function playSound(sound: Sound): void {
  if (!settings.get('sounds')) return
  audio ??= new AudioContext()
  void audio.resume()
  const { tones, duration, shape } = MELODIES[sound]
  tones.forEach((tone, n) => {
    const at = audio!.currentTime + n * duration
    const oscillator = audio!.createOscillator()
    const gain = audio!.createGain()
    oscillator.type = shape
    oscillator.frequency.value = tone
    gain.gain.setValueAtTime(VOLUME, at)
    gain.gain.exponentialRampToValueAtTime(0.001, at + duration * 2)
    oscillator.connect(gain).connect(audio!.destination)
    oscillator.start(at)
    oscillator.stop(at + duration * 2)
  })
}
