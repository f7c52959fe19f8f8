(* Prelude of exported proofs: finite sums, derivatives, limits and expectations over Coq's real numbers. *)
Require Export Reals Lra Psatz.
Require Import FunctionalExtensionality.
Require Fin.
Open Scope R_scope.

(* Indices and sums ------------------------------------------------------------------------------ *)

Notation ix := Fin.t.

Fixpoint sum (n : nat) : (ix n -> R) -> R :=
  match n with
  | O => fun _ => 0
  | S m => fun f => f Fin.F1 + sum m (fun i => f (Fin.FS i))
  end.

Definition delta {n} (i j : ix n) : R := if Fin.eq_dec i j then 1 else 0.

Lemma sum_eq n (f g : ix n -> R) : (forall i, f i = g i) -> sum n f = sum n g.
Proof. induction n as [|n IH]; intros h; simpl; [reflexivity|]. rewrite h. f_equal. apply IH. intros; apply h. Qed.
Lemma sum_add n (f g : ix n -> R) : sum n (fun i => f i + g i) = sum n f + sum n g.
Proof. induction n as [|n IH]; simpl; [ring|]. rewrite (IH (fun i => f (Fin.FS i)) (fun i => g (Fin.FS i))). ring. Qed.
Lemma sum_scale n c (f : ix n -> R) : sum n (fun i => c * f i) = c * sum n f.
Proof. induction n as [|n IH]; simpl; [ring|]. rewrite (IH (fun i => f (Fin.FS i))). ring. Qed.
Lemma sum_const n c : sum n (fun _ => c) = INR n * c.
Proof. induction n as [|n IH]; [simpl; ring|]. rewrite S_INR. simpl sum. rewrite IH. ring. Qed.
Lemma sum_swap n m (f : ix n -> ix m -> R) :
  sum n (fun i => sum m (fun j => f i j)) = sum m (fun j => sum n (fun i => f i j)).
Proof.
  induction n as [|n IH]; simpl.
  - rewrite sum_const. ring.
  - rewrite (IH (fun i j => f (Fin.FS i) j)). symmetry. apply sum_add.
Qed.
(* a certificate takes one summand at a time *)
Lemma sum_last n c (g f : ix n -> R) : (forall i, f i = c * g i) -> sum n f = c * sum n g.
Proof. intros e. rewrite (sum_eq _ _ _ e). apply sum_scale. Qed.
Lemma sum_split n c (g h f : ix n -> R) r :
  (forall i, f i = c * g i + h i) -> sum n h = r -> sum n f = c * sum n g + r.
Proof. intros e <-. rewrite (sum_eq _ _ _ e), (sum_add n (fun i => c * g i) h), sum_scale. reflexivity. Qed.
Lemma sum_zero n (f : ix n -> R) : (forall i, f i = 0) -> sum n f = 0.
Proof. intros e. rewrite (sum_eq _ _ _ e), sum_const. ring. Qed.
Lemma sum_pull n c (g h : ix n -> R) : (forall i, c * g i = h i) -> c * sum n g = sum n h.
Proof. intros e. rewrite <- sum_scale. apply sum_eq. exact e. Qed.
Lemma sum_pull_left n c (g h : ix n -> R) : (forall i, g i * c = h i) -> sum n g * c = sum n h.
Proof. intros e. rewrite Rmult_comm. apply sum_pull. intros i. rewrite Rmult_comm. apply e. Qed.
Lemma delta_same n (i : ix n) : delta i i = 1.
Proof. unfold delta. destruct (Fin.eq_dec i i); congruence. Qed.
Lemma delta_other n (i j : ix n) : i <> j -> delta i j = 0.
Proof. unfold delta. destruct (Fin.eq_dec i j); congruence. Qed.
Lemma delta_sym n (i j : ix n) : delta i j = delta j i.
Proof. unfold delta. destruct (Fin.eq_dec i j), (Fin.eq_dec j i); congruence. Qed.
Lemma delta_ge0 n (i j : ix n) : 0 <= delta i j.
Proof. unfold delta. destruct (Fin.eq_dec i j); lra. Qed.
Lemma delta_le1 n (i j : ix n) : 0 <= 1 - delta i j.
Proof. unfold delta. destruct (Fin.eq_dec i j); lra. Qed.
Lemma delta_square n (i j : ix n) : delta i j ^ 2 = delta i j.
Proof. unfold delta. destruct (Fin.eq_dec i j); ring. Qed.
Lemma delta_two n (i a b : ix n) : a <> b -> 0 <= 1 - delta i a - delta i b.
Proof. unfold delta. destruct (Fin.eq_dec i a), (Fin.eq_dec i b); subst; try lra; congruence. Qed.
Lemma delta_FS n (i j : ix n) : delta (Fin.FS i) (Fin.FS j) = delta i j.
Proof.
  unfold delta. destruct (Fin.eq_dec (Fin.FS i) (Fin.FS j)) as [e|e], (Fin.eq_dec i j) as [k|k]; try reflexivity.
  - apply Fin.FS_inj in e. contradiction.
  - subst. congruence.
Qed.
Lemma sum_delta n (j : ix n) (f : ix n -> R) : sum n (fun i => delta i j * f i) = f j.
Proof.
  induction j as [n|n j IH]; simpl.
  - rewrite delta_same, (sum_zero n); [ring|]. intros i. unfold delta.
    destruct (Fin.eq_dec (Fin.FS i) Fin.F1) as [e|e]; [inversion e|ring].
  - rewrite (sum_eq n _ (fun i => delta i j * f (Fin.FS i))) by (intros i; rewrite delta_FS; reflexivity).
    rewrite (IH (fun i => f (Fin.FS i))). unfold delta.
    destruct (Fin.eq_dec Fin.F1 (Fin.FS j)) as [e|e]; [inversion e|ring].
Qed.
Lemma delta_mul n (i j : ix n) (f : ix n -> R) : delta i j * f i = delta i j * f j.
Proof. unfold delta. destruct (Fin.eq_dec i j) as [e|e]; [rewrite e; reflexivity|ring]. Qed.
Lemma sum_le n (f g : ix n -> R) : (forall i, f i <= g i) -> sum n f <= sum n g.
Proof.
  induction n as [|n IH]; intros h; simpl; [lra|]. apply Rplus_le_compat; [apply h|].
  apply (IH (fun i => f (Fin.FS i)) (fun i => g (Fin.FS i))). intros; apply h.
Qed.
Lemma sum_ge0 n (f : ix n -> R) : (forall i, 0 <= f i) -> 0 <= sum n f.
Proof. intros h. replace 0 with (sum n (fun _ => 0)) by (rewrite sum_const; ring). apply sum_le. exact h. Qed.
Lemma sum_gt0 n (f : ix n -> R) : (0 < n)%nat -> (forall i, 0 < f i) -> 0 < sum n f.
Proof.
  destruct n as [|n]; intros p h; [exfalso; inversion p|]. simpl. apply Rplus_lt_le_0_compat; [apply h|].
  apply sum_ge0. intros i. left. apply h.
Qed.
Lemma sum_lt n (f g : ix n -> R) : (0 < n)%nat -> (forall i, f i < g i) -> sum n f < sum n g.
Proof.
  intros p h. pose proof (sum_gt0 n (fun i => g i + -1 * f i) p) as k.
  rewrite (sum_add n g (fun i => -1 * f i)), sum_scale in k.
  assert (0 < sum n g + -1 * sum n f) by (apply k; intros i; pose proof (h i); lra). lra.
Qed.
(* a family with one positive member and no negative one *)
Lemma sum_some n (f : ix n -> R) j : 0 < f j -> (forall i, 0 <= f i) -> 0 < sum n f.
Proof.
  intros p h. rewrite (sum_eq n f (fun i => delta i j * f i + (1 - delta i j) * f i)) by (intros; ring).
  rewrite (sum_add n (fun i => delta i j * f i)), sum_delta. apply Rplus_lt_le_0_compat; [exact p|].
  apply sum_ge0. intros i. apply Rmult_le_pos; [apply delta_le1|apply h].
Qed.
Lemma INR_gt0 n : (0 < n)%nat -> 0 < INR n.
Proof. apply lt_0_INR. Qed.
Lemma INR_ge1 n : (0 < n)%nat -> 1 <= INR n.
Proof. intros h. apply (le_INR 1). exact h. Qed.

(* Permutations of indices *)
Record perm (n : nat) := Perm { at_ :> ix n -> ix n; back : ix n -> ix n;
  perm_back : forall i, back (at_ i) = i; back_perm : forall i, at_ (back i) = i }.
Arguments at_ {n}. Arguments back {n}.
Lemma delta_perm n (p : perm n) i j : delta (p i) (p j) = delta i j.
Proof.
  unfold delta. destruct (Fin.eq_dec (p i) (p j)) as [e|e], (Fin.eq_dec i j) as [k|k]; try reflexivity.
  - apply (f_equal (back p)) in e. rewrite !perm_back in e. contradiction.
  - subst. congruence.
Qed.
Lemma delta_back n (p : perm n) i j : delta j (p i) = delta i (back p j).
Proof. rewrite <- (back_perm n p j) at 1. rewrite delta_perm. apply delta_sym. Qed.
Lemma sum_perm n (p : perm n) (f : ix n -> R) : sum n (fun i => f (p i)) = sum n f.
Proof.
  rewrite (sum_eq n (fun i => f (p i)) (fun i => sum n (fun j => delta j (p i) * f j)))
    by (intros i; symmetry; apply sum_delta).
  rewrite sum_swap. apply sum_eq. intros j.
  rewrite (sum_eq n _ (fun i => delta i (back p j) * f j)) by (intros i; rewrite delta_back; reflexivity).
  apply (sum_delta n (back p j) (fun _ => f j)).
Qed.

(* Exponentials, logarithms and roots *)
Lemma exp_split a t r x y : a = t + r -> exp t = x -> exp r = y -> exp a = x * y.
Proof. intros -> <- <-. apply exp_plus. Qed.
Lemma exp_nat k c x y : INR k = c -> y = c * x -> exp y = exp x ^ k.
Proof.
  intros <- ->. induction k as [|k IH]; [simpl; rewrite Rmult_0_l; apply exp_0|].
  rewrite S_INR, Rmult_plus_distr_r, exp_plus, IH, Rmult_1_l. simpl. ring.
Qed.
Lemma exp_neg k c x y : INR k = c -> y = - (c * x) -> exp y = 1 / exp x ^ k.
Proof.
  intros e ->. rewrite exp_Ropp. unfold Rdiv. rewrite Rmult_1_l. f_equal. apply (exp_nat k c); [exact e|reflexivity].
Qed.
Lemma exp_turn x y : y = - x -> exp y = 1 / exp x.
Proof. intros ->. rewrite exp_Ropp. unfold Rdiv. ring. Qed.
Lemma exp_zero y : y = 0 -> exp y = 1. Proof. intros ->. apply exp_0. Qed.
Lemma exp_delta n (i j : ix n) x y : y = delta i j * x -> exp y = 1 + delta i j * (exp x - 1).
Proof. intros ->. unfold delta. destruct (Fin.eq_dec i j); rewrite ?Rmult_1_l, ?Rmult_0_l, ?exp_0; ring. Qed.
Lemma exp_ge a b : a <= b -> exp a <= exp b.
Proof. intros [h | ->]; [left; apply exp_increasing; exact h|right; reflexivity]. Qed.
Lemma ln_ge a b : 0 < a -> a <= b -> ln a <= ln b.
Proof. intros p [h | ->]; [left; apply ln_increasing; assumption|right; reflexivity]. Qed.
Lemma exp_ge_inv a b : exp a <= exp b -> a <= b.
Proof. intros [h|h]; [left; apply exp_lt_inv; exact h|right; apply exp_inv; exact h]. Qed.
Lemma ln_split a x y u v : a = x * y -> 0 < x -> 0 < y -> ln x = u -> ln y = v -> ln a = u + v.
Proof. intros -> p q <- <-. apply ln_mult; assumption. Qed.
Lemma ln_nat k c x y u : INR k = c -> y = x ^ k -> 0 < x -> ln x = u -> ln y = c * u.
Proof. intros <- -> p <-. apply ln_pow. exact p. Qed.
Lemma ln_inv k c x y u : INR k = c -> y = 1 / x ^ k -> 0 < x -> ln x = u -> ln y = - (c * u).
Proof.
  intros <- -> p <-. unfold Rdiv. rewrite Rmult_1_l, ln_Rinv by (apply pow_lt; exact p). rewrite ln_pow by exact p.
  reflexivity.
Qed.
Lemma ln_one y : y = 1 -> ln y = 0. Proof. intros ->. apply ln_1. Qed.
Lemma sqrt_square a : 0 <= a -> sqrt a ^ 2 = a.
Proof. intros h. simpl. rewrite Rmult_1_r. apply sqrt_sqrt. exact h. Qed.
Lemma sqrt_is a b : 0 <= b -> a = b ^ 2 -> sqrt a = b.
Proof. intros h ->. apply sqrt_pow2. exact h. Qed.
Lemma sqrt_out a b r : 0 <= b -> 0 <= r -> a = b ^ 2 * r -> sqrt a = b * sqrt r.
Proof. intros h k ->. rewrite sqrt_mult by (try apply pow2_ge_0; exact k). rewrite sqrt_pow2 by exact h. reflexivity. Qed.
Lemma sin_neg x : sin (- x) = - sin x. Proof. apply sin_antisym. Qed.
Lemma cos_neg x : cos (- x) = cos x. Proof. symmetry. apply cos_sym. Qed.
Lemma sin_split a t r : a = t + r -> sin a = sin t * cos r + cos t * sin r.
Proof. intros ->. apply sin_plus. Qed.
Lemma cos_split a t r : a = t + r -> cos a = cos t * cos r - sin t * sin r.
Proof. intros ->. apply cos_plus. Qed.
Lemma cos_square x : cos x ^ 2 = 1 - sin x ^ 2.
Proof. pose proof (sin2_cos2 x) as h. unfold Rsqr in h. simpl. lra. Qed.
Lemma tanh_exp x : tanh x = (exp (2 * x) - 1) / (exp (2 * x) + 1).
Proof.
  unfold tanh, sinh, cosh. replace (2 * x) with (x + x) by ring. rewrite exp_plus, exp_Ropp.
  pose proof (exp_pos x). field. nra.
Qed.
Lemma ln_below x : 0 < x -> ln x <= x - 1.
Proof.
  intros p. destruct (Rle_or_lt (ln x) (x - 1)) as [h|h]; [exact h|exfalso].
  pose proof (exp_increasing _ _ h) as k. rewrite exp_ln in k by exact p.
  destruct (Req_dec (x - 1) 0) as [e|e]; [rewrite e, exp_0 in k; lra|]. pose proof (exp_ineq1 (x - 1) e). lra.
Qed.

Lemma pow4_ge0 x : 0 <= x ^ 4.
Proof. replace (x ^ 4) with ((x ^ 2) ^ 2) by ring. apply pow2_ge_0. Qed.

(* Order *)
Lemma order_le x y d : y - x = d -> 0 <= d -> x <= y. Proof. lra. Qed.
Lemma order_lt x y d : y - x = d -> 0 < d -> x < y. Proof. lra. Qed.
Lemma order_ge x y d : x - y = d -> 0 <= d -> x >= y. Proof. lra. Qed.
Lemma order_gt x y d : x - y = d -> 0 < d -> x > y. Proof. lra. Qed.
Lemma pos_nz x : 0 < x -> x <> 0. Proof. lra. Qed.
Lemma diff_ge0 x y : y <= x -> 0 <= x - y. Proof. lra. Qed.
Lemma diff_gt0 x y : y < x -> 0 < x - y. Proof. lra. Qed.
Lemma square_le x y : x ^ 2 <= y ^ 2 -> Rabs x <= Rabs y.
Proof. intros h. apply Rsqr_le_abs_0. unfold Rsqr. simpl in h. lra. Qed.
Lemma equiv_le a b c d f : b - a = f * (d - c) -> 0 < f -> (a <= b <-> c <= d).
Proof. intros e p; split; intros h; nra. Qed.
Lemma equiv_lt a b c d f : b - a = f * (d - c) -> 0 < f -> (a < b <-> c < d).
Proof. intros e p; split; intros h; nra. Qed.
Lemma equiv_eq a b c d f : b - a = f * (d - c) -> f <> 0 -> (a = b <-> c = d).
Proof.
  intros e p; split; intros h.
  - assert (k : f * (d - c) = 0) by lra. apply Rmult_integral in k. destruct k; [contradiction|lra].
  - rewrite h in e. replace (d - d) with 0 in e by ring. lra.
Qed.

(* Partial derivatives: one entry moves. `slope f x v d`: f has the value v and the derivative d at x *)
Definition upd {n} (z : ix n -> R) (l : ix n) (t : R) : ix n -> R := fun i => if Fin.eq_dec i l then t else z i.
Definition upd2 {n m} (z : ix n -> ix m -> R) (k : ix n) (l : ix m) (t : R) : ix n -> ix m -> R :=
  fun i => if Fin.eq_dec i k then upd (z i) l t else z i.
Definition upd3 {n m p} (z : ix n -> ix m -> ix p -> R) (k : ix n) (l : ix m) (o : ix p) (t : R) :
  ix n -> ix m -> ix p -> R := fun i => if Fin.eq_dec i k then upd2 (z i) l o t else z i.
Definition slope (f : R -> R) (x v d : R) := f x = v /\ derivable_pt_lim f x d.
Lemma slope_const c x : slope (fun _ => c) x c 0.
Proof. split; [reflexivity|apply derivable_pt_lim_const]. Qed.
Lemma slope_id x : slope (fun t => t) x x 1.
Proof. split; [reflexivity|apply derivable_pt_lim_id]. Qed.
Lemma slope_upd n (z : ix n -> R) l i : slope (fun t => upd z l t i) (z l) (z i) (delta i l).
Proof.
  unfold upd, delta. destruct (Fin.eq_dec i l) as [->|e]; [apply slope_id|apply slope_const].
Qed.
Lemma slope_upd2 n m (z : ix n -> ix m -> R) k l i j :
  slope (fun t => upd2 z k l t i j) (z k l) (z i j) (delta i k * delta j l).
Proof.
  unfold upd2, delta at 1. destruct (Fin.eq_dec i k) as [->|e].
  - rewrite Rmult_1_l. apply slope_upd.
  - rewrite Rmult_0_l. apply slope_const.
Qed.
Lemma slope_upd3 n m p (z : ix n -> ix m -> ix p -> R) k l o h i j :
  slope (fun t => upd3 z k l o t h i j) (z k l o) (z h i j) (delta h k * (delta i l * delta j o)).
Proof.
  unfold upd3, delta at 1. destruct (Fin.eq_dec h k) as [->|e].
  - rewrite Rmult_1_l. apply slope_upd2.
  - rewrite Rmult_0_l. apply slope_const.
Qed.
Lemma slope_add f g x v w d e : slope f x v d -> slope g x w e -> slope (fun t => f t + g t) x (v + w) (d + e).
Proof. intros [<- a] [<- b]. split; [reflexivity|apply (derivable_pt_lim_plus f g); assumption]. Qed.
Lemma slope_sub f g x v w d e : slope f x v d -> slope g x w e -> slope (fun t => f t - g t) x (v - w) (d - e).
Proof. intros [<- a] [<- b]. split; [reflexivity|apply (derivable_pt_lim_minus f g); assumption]. Qed.
Lemma slope_neg f x v d : slope f x v d -> slope (fun t => - f t) x (- v) (- d).
Proof. intros [<- a]. split; [reflexivity|apply (derivable_pt_lim_opp f); assumption]. Qed.
Lemma slope_mul f g x v w d e :
  slope f x v d -> slope g x w e -> slope (fun t => f t * g t) x (v * w) (d * w + v * e).
Proof. intros [<- a] [<- b]. split; [reflexivity|apply (derivable_pt_lim_mult f g); assumption]. Qed.
Lemma slope_div f g x v w d e :
  w <> 0 -> slope f x v d -> slope g x w e -> slope (fun t => f t / g t) x (v / w) ((d * w - v * e) / w ^ 2).
Proof.
  intros p [<- a] [<- b]. split; [reflexivity|].
  replace ((d * g x - f x * e) / g x ^ 2) with ((d * g x - e * f x) / Rsqr (g x)) by (unfold Rsqr; field; exact p).
  apply (derivable_pt_lim_div f g); assumption.
Qed.
Lemma slope_comp f g x v d w e : slope f x v d -> slope g v w e -> slope (fun t => g (f t)) x w (e * d).
Proof.
  intros [<- a] [<- b]. split; [reflexivity|]. apply (derivable_pt_lim_comp f g); assumption.
Qed.
Lemma slope_exp f x v d : slope f x v d -> slope (fun t => exp (f t)) x (exp v) (exp v * d).
Proof. intros a. apply (slope_comp f exp _ _ _ _ _ a). split; [reflexivity|apply derivable_pt_lim_exp]. Qed.
Lemma slope_ln f x v d : 0 < v -> slope f x v d -> slope (fun t => ln (f t)) x (ln v) (1 / v * d).
Proof. intros p a. unfold Rdiv. rewrite Rmult_1_l. apply (slope_comp f ln _ _ _ _ _ a). split; [reflexivity|apply derivable_pt_lim_ln; exact p]. Qed.
Lemma slope_sqrt f x v d :
  0 < v -> slope f x v d -> slope (fun t => sqrt (f t)) x (sqrt v) (1 / (2 * sqrt v) * d).
Proof. intros p a. unfold Rdiv. rewrite Rmult_1_l. apply (slope_comp f sqrt _ _ _ _ _ a). split; [reflexivity|apply derivable_pt_lim_sqrt; exact p]. Qed.
Lemma slope_pow f x v d k : slope f x v d -> slope (fun t => f t ^ k) x (v ^ k) (INR k * v ^ pred k * d).
Proof.
  intros a. apply (slope_comp f (fun y => y ^ k) _ _ _ _ _ a). split; [reflexivity|apply derivable_pt_lim_pow].
Qed.
Lemma slope_sum n (f : R -> ix n -> R) x (v d : ix n -> R) :
  (forall i, slope (fun t => f t i) x (v i) (d i)) -> slope (fun t => sum n (fun i => f t i)) x (sum n v) (sum n d).
Proof.
  induction n as [|n IH]; intros h; simpl; [apply slope_const|].
  apply (slope_add (fun t => f t Fin.F1) (fun t => sum n (fun i => f t (Fin.FS i)))); [apply h|].
  apply (IH (fun t i => f t (Fin.FS i)) (fun i => v (Fin.FS i)) (fun i => d (Fin.FS i))). intros; apply h.
Qed.
Lemma slope_power f x v d k c : INR (S k) = c -> slope f x v d -> slope (fun t => f t ^ S k) x (v ^ S k) (c * v ^ k * d).
Proof. intros <- a. apply (slope_pow f x v d (S k) a). Qed.
Lemma slope_tanh f x v d : slope f x v d -> slope (fun t => tanh (f t)) x (tanh v) ((1 - tanh v ^ 2) * d).
Proof.
  intros a. apply (slope_comp f tanh _ _ _ _ _ a). split; [reflexivity|].
  replace (1 - tanh v ^ 2) with ((cosh v * cosh v - sinh v * sinh v) / Rsqr (cosh v)).
  - unfold tanh. apply (derivable_pt_lim_div sinh cosh); [apply derivable_pt_lim_sinh|apply derivable_pt_lim_cosh|].
    unfold cosh. pose proof (exp_pos v). pose proof (exp_pos (- v)). lra.
  - unfold tanh, Rsqr. field. unfold cosh. pose proof (exp_pos v). pose proof (exp_pos (- v)). lra.
Qed.
Lemma slope_is f x v d e : slope f x v d -> d = e -> derivable_pt_lim f x e.
Proof. intros [_ a] <-. exact a. Qed.

(* Tactics: signs, divisors and derivatives read off the form *)
Ltac sgn := cbv beta; first [ assumption | match goal with H : forall _, _ |- _ => solve [ apply H; assumption ] | H : forall _, _ |- _ => solve [ left; apply H; assumption ] end | lazymatch goal with
  | |- True => exact I
  | |- _ /\ _ => split; sgn
  | |- (0 < _)%nat => first [ assumption | lia ]
  | |- 0 < exp _ => apply exp_pos
  | |- 0 < INR _ => apply INR_gt0; sgn
  | |- 0 < _ * _ => apply Rmult_lt_0_compat; sgn
  | |- 0 < _ / _ => apply Rdiv_lt_0_compat; sgn
  | |- 0 < / _ => apply Rinv_0_lt_compat; sgn
  | |- 0 < _ ^ _ => apply pow_lt; sgn
  | |- 0 < sqrt _ => apply sqrt_lt_R0; sgn
  | |- 0 < _ + _ => first [ apply Rplus_lt_0_compat; sgn | apply Rplus_lt_le_0_compat; sgn
                          | apply Rplus_le_lt_0_compat; sgn | lra ]
  | |- 0 < sum _ _ => apply sum_gt0; [ sgn | intros ?; sgn ]
  | |- 0 < ?x - ?y => first [ lra | apply diff_gt0; match goal with H : _ |- _ => apply H; assumption end
                            | apply diff_gt0; match goal with H : _ |- _ => apply H end ]
  | |- 0 < _ => lra
  | |- 0 <= _ ^ 2 => apply pow2_ge_0
  | |- 0 <= _ ^ 4 => apply pow4_ge0
  | |- 0 <= Rabs _ => apply Rabs_pos
  | |- 0 <= exp _ => left; apply exp_pos
  | |- 0 <= sqrt _ => apply sqrt_pos
  | |- 0 <= INR _ => apply pos_INR
  | |- 0 <= 1 - delta _ _ => apply delta_le1
  | |- 0 <= 1 - delta _ _ - delta _ _ => apply delta_two; (assumption || (apply not_eq_sym; assumption))
  | |- 0 <= delta _ _ => apply delta_ge0
  | |- 0 <= ?x * ?x => apply Rle_0_sqr
  | |- 0 <= _ * _ => apply Rmult_le_pos; sgn
  | |- 0 <= _ / _ => apply Rle_mult_inv_pos; sgn
  | |- 0 <= / _ => left; apply Rinv_0_lt_compat; sgn
  | |- 0 <= _ ^ _ => first [ apply pow_le; sgn ]
  | |- 0 <= sum _ _ => apply sum_ge0; intros ?; sgn
  | |- 0 <= _ + _ => first [ apply Rplus_le_le_0_compat; sgn | lra ]
  | |- 0 <= ?x - ?y => first [ lra | apply diff_ge0; match goal with H : _ |- _ => solve [ apply H; assumption ] end
                             | apply diff_ge0; match goal with H : _ |- _ => solve [ apply H ] end ]
  | |- 0 <= _ => first [ left; sgn | lra ]
  | |- _ <> 0 => apply pos_nz; sgn
  end ].

Definition at_hand {A B} (_ : A) (_ : B) := True.

(* What is known of all indices, of those at hand; exponentials are positive *)
Ltac known := repeat match goal with
  | H : forall i : ix ?n, _, j : ix ?n |- _ => lazymatch goal with
      | _ : at_hand H j |- _ => fail
      | _ => pose proof (H j); assert (at_hand H j) by exact I end
  end.
Ltac exps := repeat match goal with |- context [ exp ?a ] => lazymatch goal with
  | _ : 0 < exp a |- _ => fail
  | _ => pose proof (exp_pos a) end end.
Ltac nz := repeat split; first [ assumption | solve [ sgn ] | apply not_eq_sym; solve [ sgn ] | solve [ apply Rlt_not_eq; lra ]
  | solve [ apply pos_nz; lra ] | match goal with H : ?D <> 0 |- ?P <> 0 => let Z := fresh in solve [ apply H | intros Z; apply H; lra
      | intros Z; apply H; transitivity P; [ first [ ring | field; repeat split; first [ assumption | sgn ] ] | exact Z ]
      | intros Z; apply H; field_simplify_eq; [ first [ lra | nra ] | repeat split; first [ assumption | sgn ] ] ] end
  | solve [ apply pos_nz; exps; nra ] ].
Ltac order := first [ sgn | lra | known; exps; first [ assumption | lra | nra ] ].
Ltac domain := first [ nz | sgn | order ].
(* relations of roots, cosines and deltas that stand in a goal *)
Ltac relate := repeat match goal with
  | |- context [ sqrt ?a ] => lazymatch goal with
      | _ : sqrt a ^ 2 = a |- _ => fail
      | _ => let h := fresh in assert (h : sqrt a ^ 2 = a) by (apply sqrt_square; solve [ sgn ]) end
  | |- context [ cos ?a ] => lazymatch goal with
      | _ : cos a ^ 2 = _ |- _ => fail
      | _ => pose proof (cos_square a) end
  end.
Ltac cases := progress unfold delta; repeat match goal with |- context [ Fin.eq_dec ?i ?j ] =>
  destruct (Fin.eq_dec i j); [ try subst; try congruence | try congruence ] end.
Ltac use_one := match goal with h : _ ^ 2 = _ |- _ => first [ solve [ ring [h] ] | solve [ field [h]; nz ] ] end.
Ltac use_two := match goal with h : _ ^ 2 = _, k : _ ^ 2 = _ |- _ => first [ solve [ ring [h k] ] | solve [ field [h k]; nz ] ] end.
Ltac alg := first [ reflexivity | ring | solve [ field; nz ] | relate; first [ use_one | use_two ]
  | cases; first [ reflexivity | ring | solve [ field; nz ] ] ].
Ltac distinct := first [ assumption | apply not_eq_sym; assumption ].
Ltac der := cbv beta; lazymatch goal with
  | |- slope (fun _ => ?c) _ _ _ => apply slope_const
  | |- slope (fun t => t) _ _ _ => apply slope_id
  | |- slope (fun t => upd _ _ t _) _ _ _ => apply slope_upd
  | |- slope (fun t => upd2 _ _ _ t _ _) _ _ _ => apply slope_upd2
  | |- slope (fun t => upd3 _ _ _ _ t _ _ _) _ _ _ => apply slope_upd3
  | |- slope (fun t => @?f t + @?g t) _ _ _ => apply (slope_add f g); der
  | |- slope (fun t => @?f t - @?g t) _ _ _ => apply (slope_sub f g); der
  | |- slope (fun t => - @?f t) _ _ _ => apply (slope_neg f); der
  | |- slope (fun t => @?f t * @?g t) _ _ _ => apply (slope_mul f g); der
  | |- slope (fun t => @?f t / @?g t) _ _ _ => apply (slope_div f g); [ nz | der | der ]
  | |- slope (fun t => (@?f t) ^ S ?k) _ _ (?c * _ * _) => apply (slope_power f _ _ _ k c); [ simpl; ring | der ]
  | |- slope (fun t => tanh (@?f t)) _ _ _ => apply (slope_tanh f); der
  | |- slope (fun t => exp (@?f t)) _ _ _ => apply (slope_exp f); der
  | |- slope (fun t => ln (@?f t)) _ _ _ => apply (slope_ln f); [ sgn | der ]
  | |- slope (fun t => sqrt (@?f t)) _ _ _ => apply (slope_sqrt f); [ sgn | der ]
  | |- slope (fun t => sum ?n (fun i => @?f t i)) _ _ _ => apply (slope_sum n f); intros ?; der
  end.


(* Limits: at infinity, at a point, and from the right of it *)
Definition oo (P : R -> Prop) := exists M, forall x, M < x -> P x.
Definition at_point a (P : R -> Prop) := exists d, 0 < d /\ forall x, x <> a -> Rabs (x - a) < d -> P x.
Definition right_of a (P : R -> Prop) := exists d, 0 < d /\ forall x, a < x -> x < a + d -> P x.
Definition tends (N : (R -> Prop) -> Prop) (f : R -> R) l := forall e, 0 < e -> N (fun x => Rabs (f x - l) < e).
Record filter (N : (R -> Prop) -> Prop) : Prop := Filter {
  any : forall P : R -> Prop, (forall x, P x) -> N P;
  both : forall P Q S : R -> Prop, (forall x, P x -> Q x -> S x) -> N P -> N Q -> N S }.
Lemma filter_oo : filter oo.
Proof.
  split; [intros P h; exists 0; intros; apply h|]. intros P Q S h [m a] [k b]. exists (Rmax m k). intros x l.
  apply h; [apply a|apply b]; [pose proof (Rmax_l m k)|pose proof (Rmax_r m k)]; lra.
Qed.
Lemma filter_at a : filter (at_point a).
Proof.
  split; [intros P h; exists 1; split; [lra|intros; apply h]|]. intros P Q S h [m [p u]] [k [q v]].
  exists (Rmin m k). split; [apply Rmin_pos; assumption|]. intros x n l.
  pose proof (Rmin_l m k). pose proof (Rmin_r m k). apply h; [apply u|apply v]; try assumption; lra.
Qed.
Lemma filter_right a : filter (right_of a).
Proof.
  split; [intros P h; exists 1; split; [lra|intros; apply h]|]. intros P Q S h [m [p u]] [k [q v]].
  exists (Rmin m k). split; [apply Rmin_pos; assumption|]. intros x n l.
  pose proof (Rmin_l m k). pose proof (Rmin_r m k). apply h; [apply u|apply v]; try assumption; lra.
Qed.
Lemma tends_const N c : filter N -> tends N (fun _ => c) c.
Proof. intros F e p. apply (any N F). intros x. rewrite Rminus_diag_eq by reflexivity. rewrite Rabs_R0. exact p. Qed.
Lemma tends_at a : tends (at_point a) (fun t => t) a.
Proof. intros e p. exists e. split; [exact p|]. intros x _ h. exact h. Qed.
Lemma tends_right a : tends (right_of a) (fun t => t) a.
Proof. intros e p. exists e. split; [exact p|]. intros x h k. rewrite Rabs_right; lra. Qed.
Lemma tends_add N f g l m : filter N -> tends N f l -> tends N g m -> tends N (fun t => f t + g t) (l + m).
Proof.
  intros F a b e p. refine (both N F _ _ _ _ (a (e / 2) ltac:(lra)) (b (e / 2) ltac:(lra))).
  intros x u v. replace (f x + g x - (l + m)) with ((f x - l) + (g x - m)) by ring.
  pose proof (Rabs_triang (f x - l) (g x - m)). lra.
Qed.
Lemma tends_comp N g f l : filter N -> continuity_pt g l -> tends N f l -> tends N (fun t => g (f t)) (g l).
Proof.
  intros F c a e p. destruct (c e p) as [d [q h]]. refine (both N F _ _ _ _ (a d q) (a d q)). intros x u _.
  destruct (Req_dec (f x) l) as [E|E]; [rewrite E, Rminus_diag_eq by reflexivity; rewrite Rabs_R0; exact p|].
  apply h. split; [split; [exact I|congruence]|exact u].
Qed.
Lemma tends_neg N f l : filter N -> tends N f l -> tends N (fun t => - f t) (- l).
Proof.
  intros F a. apply (tends_comp N Ropp f l F); [|exact a].
  apply (continuity_pt_opp (fun x => x)). apply derivable_continuous_pt. apply derivable_pt_id.
Qed.
Lemma tends_sub N f g l m : filter N -> tends N f l -> tends N g m -> tends N (fun t => f t - g t) (l - m).
Proof. intros F a b. apply (tends_add N f (fun t => - g t)); [exact F|exact a|apply tends_neg; assumption]. Qed.
Lemma continuous_id l : continuity_pt (fun x => x) l.
Proof. apply derivable_continuous_pt. apply derivable_pt_id. Qed.
Lemma continuous_const c l : continuity_pt (fun _ => c) l.
Proof. apply continuity_pt_const. intros x y. reflexivity. Qed.
Lemma tends_pow N f l k : filter N -> tends N f l -> tends N (fun t => f t ^ k) (l ^ k).
Proof.
  intros F a. apply (tends_comp N (fun x => x ^ k) f l F); [|exact a].
  apply derivable_continuous_pt. apply derivable_pt_pow.
Qed.
Lemma tends_scale N c f l : filter N -> tends N f l -> tends N (fun t => c * f t) (c * l).
Proof.
  intros F a. apply (tends_comp N (fun x => c * x) f l F); [|exact a].
  apply (continuity_pt_mult (fun _ => c) (fun x => x)); [apply continuous_const|apply continuous_id].
Qed.
Lemma tends_mul N f g l m : filter N -> tends N f l -> tends N g m -> tends N (fun t => f t * g t) (l * m).
Proof.
  intros F a b.
  assert (h : tends N (fun t => (/ 4) * ((f t + g t) ^ 2) - (/ 4) * ((f t - g t) ^ 2)) ((/ 4) * ((l + m) ^ 2) - (/ 4) * ((l - m) ^ 2))).
  { apply tends_sub; [exact F| |]; apply tends_scale; try exact F; apply tends_pow; try exact F;
      [apply tends_add|apply tends_sub]; assumption. }
  intros e p. refine (both N F _ _ _ _ (h e p) (h e p)). intros x u _.
  replace (f x * g x - l * m) with (/ 4 * (f x + g x) ^ 2 - / 4 * (f x - g x) ^ 2 - (/ 4 * (l + m) ^ 2 - / 4 * (l - m) ^ 2)) by field.
  exact u.
Qed.
Lemma tends_div N f g l m : filter N -> m <> 0 -> tends N f l -> tends N g m -> tends N (fun t => f t / g t) (l / m).
Proof.
  intros F n a b. apply (tends_mul N f (fun t => / g t)); [exact F|exact a|].
  apply (tends_comp N Rinv g m F); [|exact b].
  apply (continuity_pt_inv (fun x => x)); [apply continuous_id|exact n].
Qed.
Lemma tends_exp N f l : filter N -> tends N f l -> tends N (fun t => exp (f t)) (exp l).
Proof. intros F. apply tends_comp; [exact F|]. apply derivable_continuous_pt. apply derivable_pt_exp. Qed.
Lemma tends_sqrt N f l : filter N -> 0 <= l -> tends N f l -> tends N (fun t => sqrt (f t)) (sqrt l).
Proof. intros F h. apply tends_comp; [exact F|]. apply continuity_pt_sqrt. exact h. Qed.
Lemma tends_ln N f l : filter N -> 0 < l -> tends N f l -> tends N (fun t => ln (f t)) (ln l).
Proof.
  intros F h. apply tends_comp; [exact F|]. apply derivable_continuous_pt. exists (/ l). apply derivable_pt_lim_ln. exact h.
Qed.
Lemma tends_sin N f l : filter N -> tends N f l -> tends N (fun t => sin (f t)) (sin l).
Proof. intros F. apply tends_comp; [exact F|]. apply continuity_sin. Qed.
Lemma tends_cos N f l : filter N -> tends N f l -> tends N (fun t => cos (f t)) (cos l).
Proof. intros F. apply tends_comp; [exact F|]. apply continuity_cos. Qed.
Lemma tends_tanh N f l : filter N -> tends N f l -> tends N (fun t => tanh (f t)) (tanh l).
Proof.
  intros F. apply tends_comp; [exact F|]. apply derivable_continuous_pt. exists ((1 - tanh l ^ 2) * 1).
  apply (slope_tanh (fun t => t) l l 1). apply slope_id.
Qed.
Lemma tends_sum N n (f : R -> ix n -> R) (l : ix n -> R) :
  filter N -> (forall i, tends N (fun t => f t i) (l i)) -> tends N (fun t => sum n (fun i => f t i)) (sum n l).
Proof.
  intros F. induction n as [|n IH]; intros h; simpl; [apply tends_const; exact F|].
  apply (tends_add N (fun t => f t Fin.F1) (fun t => sum n (fun i => f t (Fin.FS i)))); [exact F|apply h|].
  apply (IH (fun t i => f t (Fin.FS i)) (fun i => l (Fin.FS i))). intros; apply h.
Qed.
Lemma tends_decay a b f : a < 0 -> (forall t, f t = t * a + b) -> tends oo (fun t => exp (f t)) 0.
Proof.
  intros h s e p. exists ((ln e - b) / a). intros x k. rewrite s, Rminus_0_r, Rabs_right by (left; apply exp_pos).
  rewrite <- (exp_ln e p) at 1. apply exp_increasing.
  apply (Rmult_lt_gt_compat_neg_l a) in k; [|exact h].
  replace (a * ((ln e - b) / a)) with (ln e - b) in k by (field; lra). lra.
Qed.
Lemma tends_is N f g l m : filter N -> (forall x, f x = g x) -> tends N g l -> l = m -> tends N f m.
Proof.
  intros F h a <- e p. refine (both N F _ _ _ _ (a e p) (a e p)). intros x u _. rewrite h. exact u.
Qed.
Lemma tends_oo_is N f g l m : N = oo -> (forall x, 0 < x -> f x = g x) -> tends N g l -> l = m -> tends N f m.
Proof.
  intros -> h a <- e p. destruct (a e p) as [M k]. exists (Rmax M 0). intros x q.
  pose proof (Rmax_l M 0). pose proof (Rmax_r M 0). rewrite h by lra. apply k. lra.
Qed.
Ltac filt := first [ exact filter_oo | apply filter_at | apply filter_right ].
Ltac decay := match goal with |- tends oo (fun t => exp (- @?f t)) 0 =>
  let b := constr:(- f 0) in let a := constr:(- (f 1 - f 0)) in
  apply (tends_decay a b (fun t => - f t)); cbv beta; [ first [ order | match goal with |- ?x < 0 => assert (0 < - x); [ ring_simplify; order | lra ] end ] | intros ?; alg ] end.
Ltac lims := cbv beta; lazymatch goal with
  | |- tends _ (fun _ => ?c) _ => apply tends_const; filt
  | |- tends _ (fun t => t) _ => first [ apply tends_at | apply tends_right ]
  | |- tends oo (fun t => exp (- _)) 0 => decay
  | |- tends _ (fun t => @?f t + @?g t) _ => apply (tends_add _ f g); [ filt | lims | lims ]
  | |- tends _ (fun t => @?f t - @?g t) _ => apply (tends_sub _ f g); [ filt | lims | lims ]
  | |- tends _ (fun t => - @?f t) _ => apply (tends_neg _ f); [ filt | lims ]
  | |- tends _ (fun t => @?f t * @?g t) _ => apply (tends_mul _ f g); [ filt | lims | lims ]
  | |- tends _ (fun t => @?f t / @?g t) _ => apply (tends_div _ f g); [ filt | nz | lims | lims ]
  | |- tends _ (fun t => (@?f t) ^ _) _ => apply (tends_pow _ f); [ filt | lims ]
  | |- tends _ (fun t => exp (@?f t)) _ => apply (tends_exp _ f); [ filt | lims ]
  | |- tends _ (fun t => ln (@?f t)) _ => apply (tends_ln _ f); [ filt | sgn | lims ]
  | |- tends _ (fun t => sqrt (@?f t)) _ => apply (tends_sqrt _ f); [ filt | sgn | lims ]
  | |- tends _ (fun t => sin (@?f t)) _ => apply (tends_sin _ f); [ filt | lims ]
  | |- tends _ (fun t => cos (@?f t)) _ => apply (tends_cos _ f); [ filt | lims ]
  | |- tends _ (fun t => tanh (@?f t)) _ => apply (tends_tanh _ f); [ filt | lims ]
  | |- tends _ (fun t => sum ?n (fun i => @?f t i)) _ => apply (tends_sum _ n f); [ filt | intros ?; lims ]
  end.
Ltac equivalent := split; intros h; first [ lra | nra
  | apply exp_ge_inv; rewrite exp_ln by domain; exact h | apply exp_ge in h; rewrite exp_ln in h by domain; exact h ].
