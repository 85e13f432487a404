/** The skyline on the first page. */
export const SHOWN: Record<string, string> = {
  A1: 'p3b2', A2: 'o2y2o2p1o1y1', A3: 'p4', A5: 'o4y1p3', A6: 'p2o2', A4: 'b1o1', A7: 'p1o2', A9: 'p1',
  B1: 'p3o2b2y2o4', B2: 'y2o2p4', B3: 'y3b3o1y4y3o4', B4: 'p3b1', B5: 'b1y1o4y2', B6: 'b4p2', B8: 'o2b1', B9: 'y2o2y1',
  C1: 'o3b3o2', C2: 'p4y2b3o2y4', C3: 'o4b4y4p3o3y2', C4: 'y3o2y1', C5: 'p4b1', C6: 'b3y2o4b2', C7: 'p3', C9: 'b2p2',
  D2: 'o2y1', D4: 'p2', D6: 'o1', D8: 'b1',
  E1: 'y2', E2: 'o1', E3: 'b3', E4: 'b3o1', E6: 'o4y1', E7: 'b1', E8: 'p2',
  F1: 'y1p2', F2: 'p2', F3: 'b2y3', F4: 'b3p1y1', F5: 'o2y1', F6: 'y3b2y3', F8: 'o2b2', F9: 'p2'
}
