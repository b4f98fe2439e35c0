"""What `discern.torch.emulate` is made of: products as torch's dispatcher has them, computed by units.

arithmetic  which unit computes a product, and what is rounded when
products    torch's products of matrices in these terms
attention, convolution, fused   what torch computes in one call and libraries by products
mode        what sees the calls, wherever they come from
"""
